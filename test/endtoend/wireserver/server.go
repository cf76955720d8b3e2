package wireserver

import (
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An Object is a typed object or an unstructured one.
type Object interface {
	runtime.Object
	metav1.Object
}

// A Collection is what a server has, and what will become of it.
type Collection struct {
	Kind     schema.GroupVersionKind
	Resource string // the name of the kind in paths
	Formats  []Format
	// Version is that of the collection before its first change. The objects have older ones.
	Version int64
	// Objects come in the order of their keys, and their kind is set.
	Objects []Object
	// Changes are objects in their next version, with their place in Objects. The versions are
	// those that follow Version, one by one.
	Changes iter.Seq2[int, Object]
	// Streams says that the server streams lists for those who ask for it.
	Streams bool
	// Compresses says that the server compresses large lists for those who accept it. API
	// servers do so unless they are told otherwise.
	Compresses bool
}

// kind is the kind that a server has.
type kind struct {
	schema.GroupVersionKind
	resource string
	formats  []Format
	example  reflect.Type // of an object
}

// A change is an object's next version.
type change struct {
	object int
	to     image
}

// Server answers requests for one kind.
type Server struct {
	kind
	mux                 http.ServeMux
	first               int64 // the version before the first change
	keys                []string
	changes             []change
	streams, compresses bool

	mu       sync.Mutex    // guards everything below
	objects  []image       // as they are
	versions []string      // of the objects
	released int           // how many changes have happened
	oldest   int           // the change that the oldest possible watch begins with
	bell     chan struct{} // closed and replaced when one of these changes
}

// New encodes a collection.
func New(c Collection) (*Server, error) {
	s := &Server{first: c.Version, streams: c.Streams, compresses: c.Compresses, bell: make(chan struct{})}
	s.kind = kind{GroupVersionKind: c.Kind, resource: c.Resource, formats: c.Formats}
	for _, obj := range c.Objects {
		made, err := s.encode(obj)
		if err != nil {
			return nil, err
		}
		s.example = reflect.TypeOf(obj).Elem()
		s.objects = append(s.objects, made)
		s.keys = append(s.keys, obj.GetNamespace()+"/"+obj.GetName())
		s.versions = append(s.versions, obj.GetResourceVersion())
	}
	if c.Changes != nil {
		for i, obj := range c.Changes {
			made, err := s.encode(obj)
			if err != nil {
				return nil, err
			}
			s.changes = append(s.changes, change{object: i, to: made})
			if want := s.versionAt(len(s.changes)); obj.GetResourceVersion() != want {
				return nil, fmt.Errorf("change %d has version %s, not %s", len(s.changes)-1, obj.GetResourceVersion(), want)
			}
		}
	}
	s.route()
	return s, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// custom reports whether the kind is that of a CRD.
func (k *kind) custom() bool { return reflect.PointerTo(k.example).Implements(anything) }

var anything = reflect.TypeFor[runtime.Unstructured]()

// blank is the object of the bookmark that ends the initial events.
func (k *kind) blank(version string) (image, error) {
	obj, ok := reflect.New(k.example).Interface().(Object)
	if !ok {
		panic(fmt.Sprintf("BUG: %s is not the type of an Object", k.example))
	}
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	obj.SetResourceVersion(version)
	obj.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return k.encode(obj)
}

// versionAt is the collection's version after so many changes.
func (s *Server) versionAt(released int) string {
	return strconv.FormatInt(s.first+int64(released), 10)
}

// Release has the next n changes happen, and tells the watches.
func (s *Server) Release(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.releaseLocked(n)
}

func (s *Server) releaseLocked(n int) error {
	if n < 0 || s.released+n > len(s.changes) {
		return fmt.Errorf("release %d changes: %d of %d are left", n, len(s.changes)-s.released, len(s.changes))
	}
	for range n {
		next := &s.changes[s.released]
		s.released++
		s.objects[next.object], s.versions[next.object] = next.to, s.versionAt(s.released)
	}
	s.ringLocked()
	return nil
}

// Expire has the next n changes happen, and forgets them all. So watches that have not seen
// them end with 410 Gone, and their clients have to list again.
func (s *Server) Expire(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 1 {
		return fmt.Errorf("expire %d changes: a watch that has seen everything does not expire", n)
	}
	if err := s.releaseLocked(n); err != nil {
		return err
	}
	s.oldest = s.released
	return nil
}

// Versions is the version of each object, by namespace/name.
func (s *Server) Versions() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := make(map[string]string, len(s.keys))
	for i, key := range s.keys {
		versions[key] = s.versions[i]
	}
	return versions
}

// ringLocked tells the watches that there is something new.
func (s *Server) ringLocked() {
	close(s.bell)
	s.bell = make(chan struct{})
}
