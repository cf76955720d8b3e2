package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// These annotations have the name of the image in a layout.
const (
	fullName = "io.containerd.image.name"          // containerd's, the whole name
	tagName  = "org.opencontainers.image.ref.name" // the specification's, the tag
)

// canonical is the full form of the image's name that container runtimes use. For short names
// the library uses the address of the registry instead of its name.
func canonical(tag name.Tag) string {
	registry := strings.Replace(tag.RegistryStr(), name.DefaultRegistry, "docker.io", 1)
	return fmt.Sprintf("%s/%s:%s", registry, tag.RepositoryStr(), tag.TagStr())
}

// layout collects the files of an OCI image layout.
type layout struct {
	names []string // in the order in which they are written
	files map[string][]byte
}

func (l *layout) add(file string, content []byte) {
	if _, found := l.files[file]; !found {
		l.names = append(l.names, file)
		l.files[file] = content
	}
}

// addBlob adds content under its digest, and returns the name of its file.
func (l *layout) addBlob(digest v1.Hash, content []byte) string {
	file := path.Join("blobs", digest.Algorithm, digest.Hex)
	l.add(file, content)
	return file
}

// dockerManifest is one image of manifest.json, as `docker save` has always written it.
type dockerManifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// writeArchive writes one image for several platforms under a name, and returns its digest.
func writeArchive(file string, tag name.Tag, images []platformImage) (v1.Hash, error) {
	files := &layout{files: map[string][]byte{}}
	files.add("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
	docker, err := addImages(files, images)
	if err != nil {
		return v1.Hash{}, err
	}
	docker.RepoTags = []string{canonical(tag)}
	top, digest, err := index(files, tag, images)
	if err != nil {
		return v1.Hash{}, err
	}
	files.add("index.json", top)
	old, err := json.Marshal([]dockerManifest{docker})
	if err != nil {
		return v1.Hash{}, fmt.Errorf("write manifest.json: %w", err)
	}
	files.add("manifest.json", old)
	return digest, files.write(file)
}

// addImages adds the blobs of all images, and returns the entry for manifest.json about the
// first one.
func addImages(files *layout, images []platformImage) (dockerManifest, error) {
	var first dockerManifest
	for i, one := range images {
		docker, err := addImage(files, one.image)
		if err != nil {
			return first, fmt.Errorf("write the image for %s: %w", one.platform.String(), err)
		}
		if i == 0 {
			first = docker
		}
	}
	return first, nil
}

func addImage(files *layout, image v1.Image) (dockerManifest, error) {
	var docker dockerManifest
	layers, err := image.Layers()
	if err != nil {
		return docker, err
	}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return docker, err
		}
		compressed, err := layer.Compressed()
		if err != nil {
			return docker, err
		}
		content, err := io.ReadAll(compressed)
		_ = compressed.Close() // writes to memory do not fail
		if err != nil {
			return docker, err
		}
		docker.Layers = append(docker.Layers, files.addBlob(digest, content))
	}
	config, err := image.RawConfigFile()
	if err != nil {
		return docker, err
	}
	configDigest, err := image.ConfigName()
	if err != nil {
		return docker, err
	}
	docker.Config = files.addBlob(configDigest, config)
	return docker, addManifest(files, image)
}

func addManifest(files *layout, image v1.Image) error {
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	raw, err := image.RawManifest()
	if err != nil {
		return err
	}
	files.addBlob(digest, raw)
	return nil
}

// index returns the layout's index.json. It has one entry: the image, or, for several
// platforms, an index of them. So the name stands for all platforms. The library could make
// both, but it adds an artifactType to each entry, and then some readers may not take the
// entry for an image.
func index(files *layout, tag name.Tag, images []platformImage) (top []byte, digest v1.Hash, err error) {
	platforms := make([]v1.Descriptor, 0, len(images))
	for _, one := range images {
		at, err := partial.Descriptor(one.image)
		if err != nil {
			return nil, digest, fmt.Errorf("describe the image for %s: %w", one.platform.String(), err)
		}
		platform := one.platform
		at.Platform, at.ArtifactType = &platform, ""
		platforms = append(platforms, *at)
	}
	entry := platforms[0]
	if len(platforms) > 1 {
		all, err := indexOf(platforms)
		if err != nil {
			return nil, digest, err
		}
		entry = v1.Descriptor{MediaType: types.OCIImageIndex, Size: int64(len(all))}
		if entry.Digest, _, err = v1.SHA256(bytes.NewReader(all)); err != nil {
			return nil, digest, fmt.Errorf("digest the index of platforms: %w", err)
		}
		files.addBlob(entry.Digest, all)
	}
	entry.Annotations = map[string]string{fullName: canonical(tag), tagName: tag.TagStr()}
	top, err = indexOf([]v1.Descriptor{entry})
	return top, entry.Digest, err
}

func indexOf(entries []v1.Descriptor) ([]byte, error) {
	text, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: entries})
	if err != nil {
		return nil, fmt.Errorf("write an index: %w", err)
	}
	return text, nil
}

// write writes the archive under another name, and then renames it.
func (l *layout) write(file string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the archive: %w", err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	unfinished, err := os.Create(file + ".tmp")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(unfinished.Name()) }() // gone already if all went well
	if err := l.writeTo(unfinished); err != nil {
		_ = unfinished.Close()
		return err
	}
	if err := unfinished.Close(); err != nil {
		return err
	}
	return os.Rename(unfinished.Name(), file)
}

func (l *layout) writeTo(w io.Writer) error {
	archive := tar.NewWriter(w)
	for _, name := range l.names {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR, Name: name,
			Mode: 0o644, ModTime: epoch, Size: int64(len(l.files[name])),
		}
		if err := writeFile(archive, header, l.files[name]); err != nil {
			return err
		}
	}
	return archive.Close()
}
