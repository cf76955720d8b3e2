package skip

import (
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// elsewhere is a server that has the objects of a world in place of the one in this process, which only remembers
// them. Only tests with the tag slow have one.
type elsewhere interface {
	// config returns the configuration for managers.
	config() *rest.Config
	// settings say how often the cache asks.
	settings() informer.Settings
	// change creates or changes an object, and remove deletes it. They return the new version.
	change(id objectID, do func(object map[string]any)) int64
	remove(id objectID) int64
	// written lets somebody else write an object, and waits until the memory has the write.
	written(id objectID, write func() (version string))
	// upToDate waits until the memory has all writes.
	upToDate()
	// cut ends all watches, and lose all lists and watches until found is called.
	cut()
	lose() (found func())
	// uproot removes a kind until back is called.
	uproot(k *kind) (back func())
	// settle waits until nothing happens any more in a world.
	settle(w *world)
}
