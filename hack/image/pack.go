package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// entrypoint is the path of the program in the image.
	entrypoint = "/manager"
	// user is the user that runs the program. It is a number, because with a name the kubelet
	// could not tell that it is not root. This number is usual for images without a shell.
	user = "65532:65532"
)

// epoch is the time of creation of everything in the image.
var epoch = time.Unix(0, 0).UTC()

// platformImage is the image of one platform.
type platformImage struct {
	platform v1.Platform
	image    v1.Image
}

// pack makes an image whose one layer has the program.
func pack(program []byte, platform v1.Platform) (v1.Image, error) {
	content, err := layer(program)
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{
		Layer:   content,
		History: v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "delta-runtime/hack/image", Comment: entrypoint},
	})
	if err != nil {
		return nil, fmt.Errorf("put the program into an image: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read the image's configuration: %w", err)
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = platform.OS, platform.Architecture
	config.Created = v1.Time{Time: epoch}
	config.Config = v1.Config{Entrypoint: []string{entrypoint}, User: user, WorkingDir: "/"}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, fmt.Errorf("write the image's configuration: %w", err)
	}
	return image, nil
}

// layer is a file system with the program. The user that runs the program can't change it.
func layer(program []byte) (v1.Layer, error) {
	var files bytes.Buffer
	archive := tar.NewWriter(&files)
	header := &tar.Header{
		Typeflag: tar.TypeReg, Format: tar.FormatPAX, Name: strings.TrimPrefix(entrypoint, "/"),
		Mode: 0o555, ModTime: epoch, Size: int64(len(program)),
	}
	if err := writeFile(archive, header, program); err != nil {
		return nil, fmt.Errorf("write the layer: %w", err)
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("end the layer: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil }
	made, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("compress the layer: %w", err)
	}
	return made, nil
}

func writeFile(archive *tar.Writer, header *tar.Header, content []byte) error {
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err := archive.Write(content)
	return err
}
