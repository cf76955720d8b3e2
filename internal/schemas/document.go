package schemas

import (
	"context"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"
)

// maxSchema is how large a description may be, in bytes.
const maxSchema = 32 << 20

func download(ctx context.Context, server rest.Interface, gv schema.GroupVersion) (text []byte, err error) {
	body, err := server.Get().AbsPath("/openapi/v3/apis", gv.Group, gv.Version).SetHeader("Accept", "application/json").MaxRetries(0).Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	text, err = io.ReadAll(io.LimitReader(body, maxSchema+1))
	if err == nil && len(text) > maxSchema {
		err = fmt.Errorf("the answer has more than %d bytes", maxSchema)
	}
	return text, err
}

// document is a server that has nothing but this text, because that is what client-go
// reads schemas from.
type document struct {
	gv   schema.GroupVersion
	text []byte
}

var (
	_ openapi.Client       = document{}
	_ openapi.GroupVersion = document{}
)

// Paths has the one document.
func (d document) Paths() (map[string]openapi.GroupVersion, error) {
	return map[string]openapi.GroupVersion{d.ServerRelativeURL(): d}, nil
}

// Schema is the text, which is JSON.
func (d document) Schema(string) ([]byte, error) { return d.text, nil }

// ServerRelativeURL names the document.
func (d document) ServerRelativeURL() string { return "/openapi/v3/apis/" + d.gv.String() }
