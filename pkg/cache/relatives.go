package cache

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// maxOwners bounds how many owners a relatives remembers an object of. It keeps these
// alive, also when they are gone from the cache.
const maxOwners = 1024

// relatives has objects that arrive share memory with one of their kind that is likely
// to have much in common with them: their own last version, or else the newest that
// has the same controller, or just the newest.
type relatives struct {
	known func(delta.Key) (any, bool) // the store's Get

	mu      lock.Mutex[lock.Relatives] // guards everything below
	byOwner map[types.UID]any          // the newest object of each controller
	newest  any
}

// note remembers an object that changes no more, if it is new.
func (r *relatives) note(arrived client.Object) {
	if _, found := r.known(delta.Key{Namespace: arrived.GetNamespace(), Name: arrived.GetName()}); !found {
		r.remember(ownerOf(arrived), arrived)
	}
}

// Like returns an object that a new one of the same owner is like, nil if there is none.
func (r *relatives) Like(owner types.UID) any {
	r.mu.Lock()
	defer r.mu.Unlock()
	if obj, found := r.byOwner[owner]; found {
		return obj
	}
	return r.newest
}

// ownerOf is the controller of an object; empty if it has none.
func ownerOf(obj client.Object) types.UID {
	if controller := metav1.GetControllerOfNoCopy(obj); controller != nil {
		return controller.UID
	}
	return ""
}

func (r *relatives) remember(owner types.UID, obj any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, found := r.byOwner[owner]; !found && len(r.byOwner) >= maxOwners {
		for other := range r.byOwner { // any of them
			delete(r.byOwner, other)
			break
		}
	}
	if r.byOwner == nil {
		r.byOwner = map[types.UID]any{}
	}
	r.byOwner[owner], r.newest = obj, obj
}
