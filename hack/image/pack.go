package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
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
	v1.Image
	platform v1.Platform
}

// pack makes an image whose one layer has the program.
func pack(program []byte, platform v1.Platform) (platformImage, error) {
	content, err := layer(program)
	if err != nil {
		return platformImage{}, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.ConfigFile(base, &v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Created: v1.Time{Time: epoch}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{Entrypoint: []string{entrypoint}, User: user, WorkingDir: "/"},
	})
	if err != nil {
		return platformImage{}, fmt.Errorf("write the image's configuration: %w", err)
	}
	image, err = mutate.Append(image, mutate.Addendum{
		Layer:   content,
		History: v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "delta-runtime/hack/image", Comment: entrypoint},
	})
	if err != nil {
		return platformImage{}, fmt.Errorf("put the program into an image: %w", err)
	}
	return platformImage{image, platform}, nil
}

// layer is a file system with the program. The user that runs the program can't change it.
func layer(program []byte) (v1.Layer, error) {
	var files bytes.Buffer
	archive := tar.NewWriter(&files)
	header := &tar.Header{Format: tar.FormatPAX, Name: strings.TrimPrefix(entrypoint, "/"), Mode: 0o555}
	if err := errors.Join(writeFile(archive, header, program), archive.Close()); err != nil {
		return nil, fmt.Errorf("write the layer: %w", err)
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil }
	made, err := tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer),
		tarball.WithCompressionLevel(gzip.DefaultCompression), tarball.WithCompressedCaching)
	if err != nil {
		return nil, fmt.Errorf("compress the layer: %w", err)
	}
	return made, nil
}
