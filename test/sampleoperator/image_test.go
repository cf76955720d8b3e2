package sampleoperator

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// unpack writes the files of an archive into a folder. The archive has one image, which has
// one layer.
func unpack(archive, folder string) error {
	files, err := read(archive)
	if err != nil {
		return err
	}
	var index, manifest struct{ Manifests, Layers []struct{ Digest string } }
	if err := json.Unmarshal(files["index.json"], &index); err != nil || len(index.Manifests) != 1 {
		return fmt.Errorf("the archive's index is %s (error %w)", files["index.json"], err)
	}
	blob := func(digest string) []byte { return files["blobs/"+strings.ReplaceAll(digest, ":", "/")] }
	if err := json.Unmarshal(blob(index.Manifests[0].Digest), &manifest); err != nil || len(manifest.Layers) != 1 {
		return fmt.Errorf("the image's manifest is %s (error %w)", blob(index.Manifests[0].Digest), err)
	}
	var layer io.Reader
	layer, err = gzip.NewReader(bytes.NewReader(blob(manifest.Layers[0].Digest)))
	if errors.Is(err, gzip.ErrHeader) {
		layer = bytes.NewReader(blob(manifest.Layers[0].Digest))
	} else if err != nil {
		return err
	}
	return each(layer, func(header *tar.Header, content io.Reader) error {
		if header.Typeflag != tar.TypeReg {
			return nil
		}
		out, err := os.OpenFile(filepath.Join(folder, filepath.Base(header.Name)), os.O_CREATE|os.O_WRONLY, header.FileInfo().Mode())
		if err != nil {
			return err
		}
		_, err = io.Copy(out, content)
		return errors.Join(err, out.Close())
	})
}

// read returns an archive's files.
func read(archive string) (map[string][]byte, error) {
	file, err := os.Open(archive) //nolint:gosec // the test has made this file
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	files := map[string][]byte{}
	return files, each(file, func(header *tar.Header, content io.Reader) error {
		var err error
		files[header.Name], err = io.ReadAll(content)
		return err
	})
}

func each(from io.Reader, do func(*tar.Header, io.Reader) error) error {
	entries := tar.NewReader(from)
	for {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(header, entries); err != nil {
			return err
		}
	}
}
