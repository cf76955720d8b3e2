package inspector

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"path"
)

//go:embed page
var pageFiles embed.FS

//go:embed openapi.json
var openAPI []byte

// file is a file that is part of this program.
type file struct {
	content    []byte
	media, tag string
}

// document describes the API.
var document = newFile(openAPI, mediaJSON)

// medias are the types of the page's files. The machine's own table is not asked: browsers run a
// module only if its type is right.
var medias = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

func newFile(content []byte, media string) file {
	sum := sha256.Sum256(content)
	return file{content, media, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
}

// pageRoutes are the page and its files.
func pageRoutes() []route {
	entries, err := pageFiles.ReadDir("page")
	if err != nil {
		panic(fmt.Sprintf("BUG: the page is not there: %v", err))
	}
	var all []route
	for _, entry := range entries {
		name := entry.Name()
		content, err := pageFiles.ReadFile("page/" + name)
		media := medias[path.Ext(name)]
		if err != nil || media == "" {
			panic(fmt.Sprintf("BUG: the file %s of the page has no type (error %v)", name, err))
		}
		at := assets + name
		if name == "index.html" {
			at = Prefix
		}
		f := newFile(content, media)
		all = append(all, route{
			method: http.MethodGet, path: at, task: "show the page", media: media,
			serve: func(_ *handler, c *call) error { return c.file(&f) },
		})
	}
	return all
}
