package cache

import (
	"net/http"
	"runtime"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
)

// server tells servers apart: by the address, and by the client that the user has given, because that
// may go elsewhere.
type server struct {
	host   string
	client weak.Pointer[http.Client]
}

// serverKind is a kind of a server, in all its versions and forms: a server has one history of them.
type serverKind struct {
	server server
	kind   schema.GroupKind
}

// horizons are those of all caches of the process, and of informers that were removed. There is one for
// each kind that was asked for, while there is the client with which it was.
var horizons sync.Map // of serverKind to *reflector.Horizon

// horizon is how far the process has seen of a kind.
func (s server) horizon(kind schema.GroupKind) *reflector.Horizon {
	of := serverKind{s, kind}
	h, known := horizons.LoadOrStore(of, &reflector.Horizon{})
	if client := s.client.Value(); client != nil && !known {
		runtime.AddCleanup(client, func(of serverKind) { horizons.Delete(of) }, of)
	}
	return h.(*reflector.Horizon) //nolint:forcetypeassert // nothing else is stored
}
