package schemas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
)

// maxDocument is how large a document may be, in bytes.
const maxDocument = 32 << 20

// server is where documents come from.
type server struct {
	client *http.Client
	base   *url.URL
}

func newServer(config *rest.Config, client *http.Client) (server, error) {
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return server{}, fmt.Errorf("find the server of the schemas: %w", err)
	}
	return server{client, base}, nil
}

// read reads the document of a group and version.
func (s server) read(ctx context.Context, of schema.GroupVersion) (d *openapi.Document, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address(of), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	return readAtMost(response.Body, of)
}

func readAtMost(body io.Reader, of schema.GroupVersion) (*openapi.Document, error) {
	limited := &io.LimitedReader{R: body, N: maxDocument + 1}
	d, err := openapi.Read(limited, of)
	if limited.N == 0 {
		return nil, fmt.Errorf("the document has more than %d bytes", maxDocument)
	}
	return d, err
}

func (s server) address(of schema.GroupVersion) string {
	if of.Group == "" {
		return s.base.JoinPath("openapi/v3/api", of.Version).String()
	}
	return s.base.JoinPath("openapi/v3/apis", of.Group, of.Version).String()
}
