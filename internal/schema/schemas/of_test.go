package schemas_test

import (
	"net/http"
	"testing"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
)

// operator is what a manager knows of its server.
type operator struct {
	config *rest.Config
	client *http.Client
	scheme *apiruntime.Scheme
}

func (o *operator) GetConfig() *rest.Config       { return o.config }
func (o *operator) GetHTTPClient() *http.Client   { return o.client }
func (o *operator) GetScheme() *apiruntime.Scheme { return o.scheme }

// TestSchemasOfAManager asks for the schemas of managers with a server and without.
func TestSchemasOfAManager(t *testing.T) {
	s := newServer(t)
	mgr := &operator{&rest.Config{Host: "http://server"}, &http.Client{Transport: s}, gardenScheme(t)}
	all, err := schemas.Of(mgr)
	must(t, err)
	s.wasAsked(t, 0)
	compare(t, all, bySchema)
	s.wasAsked(t, 1)
	if all, err := schemas.Of(&operator{scheme: mgr.scheme}); all != nil || err != nil {
		t.Errorf("without a server there are %v, error %v", all, err)
	}
}
