package schemas

import (
	"maps"
	"net/http"
	"weak"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

// origin is where descriptions come from. The controllers of a manager have one, and so has
// its inspector.
type origin struct {
	client     weak.Pointer[http.Client]
	host, path string
}

// registry has the descriptions that are in use, by their origin. It keeps none of them.
type registry struct {
	mu    lock.Mutex[lock.SchemaServers]
	known map[origin]weak.Pointer[descriptions]
}

// inUse are the descriptions of this process.
var inUse = registry{known: map[origin]weak.Pointer[descriptions]{}}

// of returns the descriptions from a server, the same to all who ask.
func (r *registry) of(config *rest.Config, client *http.Client) (*descriptions, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.known, func(_ origin, p weak.Pointer[descriptions]) bool { return p.Value() == nil })
	from := origin{weak.Make(client), config.Host, config.APIPath}
	if known := r.known[from].Value(); known != nil {
		return known, nil
	}
	made, err := newDescriptions(config, client)
	if err == nil {
		r.known[from] = weak.Make(made)
	}
	return made, err
}

// newDescriptions returns descriptions that nobody has asked for yet.
func newDescriptions(config *rest.Config, client *http.Client) (*descriptions, error) {
	from, err := newServer(config, client)
	if err != nil {
		return nil, err
	}
	return &descriptions{server: from, known: map[schema.GroupVersion]*group{}}, nil
}
