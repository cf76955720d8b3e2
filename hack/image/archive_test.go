package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The types here are those of the OCI image specification. They are written here again,
// because a test that reads the archive with the same library would share the library's
// mistakes.

// A descriptor points at a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations"`
	Artifact    string            `json:"artifactType"` // only set if it is not an image
	Platform    *struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
	} `json:"platform"`
}

type ociIndex struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

type ociManifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

type ociConfig struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
	Created      string `json:"created"`
	Config       struct {
		User       string
		Entrypoint []string
		Cmd        []string
		Env        []string
		WorkingDir string
	} `json:"config"`
	Rootfs struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// ociLayout has the files of an archive, by name.
type ociLayout map[string][]byte

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
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		headers, contents = append(headers, header), append(contents, content)
	}
}

// open reads an archive, and checks that the digest of each blob is its name.
func open(t *testing.T, file string) ociLayout {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	layout := ociLayout{}
	headers, contents := entries(t, bytes.NewReader(raw))
	for i, header := range headers {
		if header.Typeflag != tar.TypeReg || layout[header.Name] != nil {
			t.Errorf("%s is in the archive as type %q, or twice", header.Name, header.Typeflag)
		}
		layout[header.Name] = contents[i]
		if hex, blob := strings.CutPrefix(header.Name, "blobs/sha256/"); blob && digest(contents[i]) != "sha256:"+hex {
			t.Errorf("%s has content with digest %s", header.Name, digest(contents[i]))
		}
	}
	if got := decode[map[string]string](t, layout["oci-layout"]); len(got) != 1 || got["imageLayoutVersion"] != "1.0.0" {
		t.Errorf("oci-layout is %q", got)
	}
	return layout
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// blob returns the content that a descriptor points at. It fails if that does not match the
// descriptor.
func (l ociLayout) blob(t *testing.T, at descriptor, mediaType string) []byte {
	t.Helper()
	content, found := l["blobs/"+strings.Replace(at.Digest, ":", "/", 1)]
	if !found {
		t.Fatalf("%s is not in the archive", at.Digest)
	}
	if at.MediaType != mediaType || at.Artifact != "" || at.Size != int64(len(content)) || at.Digest != digest(content) {
		t.Errorf("%+v points at %d bytes with digest %s, want type %s", at, len(content), digest(content), mediaType)
	}
	return content
}

// decode reads JSON.
func decode[T any](t *testing.T, text []byte) T {
	t.Helper()
	var into T
	if err := json.Unmarshal(text, &into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return into
}

// top returns the one entry of index.json.
func (l ociLayout) top(t *testing.T) descriptor {
	t.Helper()
	index := decode[ociIndex](t, l["index.json"])
	if index.SchemaVersion != 2 || index.MediaType != indexType || len(index.Manifests) != 1 {
		t.Fatalf("index.json is %s", l["index.json"])
	}
	return index.Manifests[0]
}

// image returns the configuration and the program that a manifest's descriptor leads to.
func (l ociLayout) image(t *testing.T, at descriptor) (ociManifest, ociConfig, []byte) {
	t.Helper()
	manifest := decode[ociManifest](t, l.blob(t, at, manifestType))
	if manifest.SchemaVersion != 2 || manifest.MediaType != manifestType || len(manifest.Layers) != 1 {
		t.Fatalf("the manifest is %+v", manifest)
	}
	config := decode[ociConfig](t, l.blob(t, manifest.Config, configType))
	files := inflate(t, l.blob(t, manifest.Layers[0], layerType))
	if want := []string{digest(files)}; config.Rootfs.Type != "layers" || fmt.Sprint(config.Rootfs.DiffIDs) != fmt.Sprint(want) {
		t.Errorf("the root file system is %+v, want %v", config.Rootfs, want)
	}
	headers, contents := entries(t, bytes.NewReader(files))
	if len(headers) != 1 {
		t.Fatalf("the layer has %d files", len(headers))
	}
	file := headers[0]
	if file.Name != "manager" || file.Mode != 0o555 || file.Uid != 0 || file.Gid != 0 || file.Uname != "" || !file.ModTime.Equal(epoch) {
		t.Errorf("the program is %+v", file)
	}
	return manifest, config, contents[0]
}

func inflate(t *testing.T, content []byte) []byte {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if !compressed.ModTime.IsZero() || compressed.Name != "" {
		t.Errorf("the layer's gzip header has %+v", compressed.Header)
	}
	files, err := io.ReadAll(compressed)
	if err != nil {
		t.Fatal(err)
	}
	return files
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
