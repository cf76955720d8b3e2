package schemas_test

import (
	"net/http"
	"runtime"
	"testing"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/schemas"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
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

func TestTheControllersOfAManagerShareDescriptions(t *testing.T) {
	s := newServer(t)
	mgr := &operator{&rest.Config{Host: "http://server"}, &http.Client{Transport: s}, gardenScheme(t)}
	other := &operator{&rest.Config{Host: "http://other"}, mgr.client, mgr.scheme}
	third := &operator{mgr.config, &http.Client{Transport: s}, mgr.scheme}
	var kept []any
	for _, c := range []struct {
		of    *operator
		asked int
	}{{mgr, 1}, {mgr, 1}, {other, 2}, {mgr, 2}, {third, 3}, {third, 3}} {
		all, err := schemas.Of(c.of)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, all, bySchema)
		s.wasAsked(t, c.asked)
		kept = append(kept, all)
	}
	runtime.KeepAlive(kept)
	if all, err := schemas.Of(&operator{scheme: mgr.scheme}); all != nil || err != nil {
		t.Errorf("without a server there are %v, error %v", all, err)
	}
}

// TestDescriptionsGoWithTheirManager makes managers that nobody keeps.
func TestDescriptionsGoWithTheirManager(t *testing.T) {
	s := newServer(t)
	for range 100 {
		all, err := schemas.Of(&operator{&rest.Config{Host: "http://server"}, &http.Client{Transport: s}, gardenScheme(t)})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, all, bySchema)
	}
	await.Until(t, "at most 10 of 100 servers to be in use that nobody uses", func() bool { runtime.GC(); return schemas.InUse() <= 10 })
}
