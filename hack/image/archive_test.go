package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// archived is an index of an archive: the top one, or that of the platforms.
type archived struct{ index v1.ImageIndex }

// must returns a value, or ends the test.
func must[T any](value T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// entries reads a tar file.
func entries(t *testing.T, from io.Reader) (headers []*tar.Header, contents [][]byte) {
	t.Helper()
	archive := tar.NewReader(from)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return headers, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		headers, contents = append(headers, header), append(contents, must(io.ReadAll(archive))(t))
	}
}

// open reads an archive, and checks each digest, size and type in it.
func open(t *testing.T, file string) archived {
	t.Helper()
	folder := t.TempDir()
	headers, contents := entries(t, bytes.NewReader(content(t, file)))
	seen := map[string]bool{}
	for i, header := range headers {
		if header.Typeflag != tar.TypeReg || seen[header.Name] {
			t.Errorf("%s is in the archive as type %q, or twice", header.Name, header.Typeflag)
		}
		seen[header.Name] = true
		path := filepath.Join(folder, header.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, contents[i], 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(content(t, filepath.Join(folder, "oci-layout"))); got != `{
    "imageLayoutVersion": "1.0.0"
}` {
		t.Errorf("oci-layout is %q", got)
	}
	index := must(layout.ImageIndexFromPath(folder))(t)
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	return archived{index}
}

// of returns what the index has, each an image.
func (a archived) of(t *testing.T) []v1.Descriptor {
	t.Helper()
	index := must(a.index.IndexManifest())(t)
	for _, at := range index.Manifests {
		if index.SchemaVersion != 2 || index.MediaType != types.OCIImageIndex || at.ArtifactType != "" {
			t.Fatalf("the index is %+v", index)
		}
	}
	return index.Manifests
}

// top returns the one entry of index.json.
func (a archived) top(t *testing.T) v1.Descriptor {
	t.Helper()
	all := a.of(t)
	if len(all) != 1 {
		t.Fatalf("index.json has %+v", all)
	}
	return all[0]
}

// image returns the configuration and the program of an image.
func (a archived) image(t *testing.T, at v1.Descriptor) (*v1.ConfigFile, []byte) {
	t.Helper()
	image := must(a.index.Image(at.Digest))(t)
	manifest, layers := must(image.Manifest())(t), must(image.Layers())(t)
	if manifest.MediaType != types.OCIManifestSchema1 || manifest.Config.MediaType != types.OCIConfigJSON ||
		len(layers) != 1 || manifest.Layers[0].MediaType != types.OCILayer {
		t.Fatalf("the manifest is %+v", manifest)
	}
	compressed := must(gzip.NewReader(must(layers[0].Compressed())(t)))(t)
	if !compressed.ModTime.IsZero() || compressed.Name != "" {
		t.Errorf("the layer's gzip header has %+v", compressed.Header)
	}
	headers, contents := entries(t, compressed)
	if len(headers) != 1 {
		t.Fatalf("the layer has %d files", len(headers))
	}
	file := headers[0]
	if file.Name != "manager" || file.Mode != 0o555 || file.Uid != 0 || file.Gid != 0 || file.Uname != "" || !file.ModTime.Equal(epoch) {
		t.Errorf("the program is %+v", file)
	}
	return must(image.ConfigFile())(t), contents[0]
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	return must(os.ReadFile(file))(t)
}

// install writes a program into a file that can be started.
func install(t *testing.T, program []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manager")
	if err := os.WriteFile(file, program, 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}
