package main

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// These annotations have the name of the image in a layout.
const (
	fullName = "io.containerd.image.name"          // containerd's, the whole name
	tagName  = "org.opencontainers.image.ref.name" // the specification's, the tag
)

// canonical is the full form of the image's name that container runtimes use. For short names
// the library uses the address of the registry instead of its name.
func canonical(tag name.Tag) string {
	return strings.Replace(tag.Name(), name.DefaultRegistry, "docker.io", 1)
}

// ArtifactType keeps the library from setting one in an index. With one, some readers may not
// take the entry for an image.
func (platformImage) ArtifactType() (string, error) { return "", nil }

// writeArchive writes one image for several platforms under a name, and returns its digest.
func writeArchive(file string, tag name.Tag, images []platformImage) (digest v1.Hash, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the archive: %w", err)
		}
	}()
	folder, err := os.MkdirTemp("", "image")
	if err != nil {
		return digest, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // if this fails, only a temporary folder is left
	top := index(tag, images)
	if _, err := layout.Write(folder, top); err != nil {
		return digest, err
	}
	entries, err := top.IndexManifest()
	if err != nil {
		return digest, err
	}
	return entries.Manifests[0].Digest, writeTar(file, folder)
}

// index is the layout's index.json. It has one entry: the image, or, for several platforms,
// an index of them. So the name stands for all platforms.
func index(tag name.Tag, images []platformImage) v1.ImageIndex {
	platforms := make([]mutate.IndexAddendum, 0, len(images))
	for _, one := range images {
		platforms = append(platforms, mutate.IndexAddendum{Add: one, Descriptor: v1.Descriptor{Platform: &one.platform}})
	}
	entry := platforms[0]
	if len(platforms) > 1 {
		entry = mutate.IndexAddendum{Add: mutate.AppendManifests(empty.Index, platforms...)}
	}
	entry.Annotations = map[string]string{fullName: canonical(tag), tagName: tag.TagStr()}
	return mutate.AppendManifests(empty.Index, entry)
}

// writeTar writes the files of a folder under another name, and then renames it.
func writeTar(file, folder string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	unfinished, err := os.Create(file + ".tmp")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(unfinished.Name()) }() // gone already if all went well
	archive, files := tar.NewWriter(unfinished), os.DirFS(folder)
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return writeFile(archive, &tar.Header{Format: tar.FormatUSTAR, Name: name, Mode: 0o644}, content)
	})
	for _, end := range []io.Closer{archive, unfinished} {
		if closed := end.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return err
	}
	return os.Rename(unfinished.Name(), file)
}

// writeFile writes a file of the time that all files have.
func writeFile(archive *tar.Writer, header *tar.Header, content []byte) error {
	header.Typeflag, header.ModTime, header.Size = tar.TypeReg, epoch, int64(len(content))
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := archive.Write(content)
	return err
}
