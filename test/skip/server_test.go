package skip

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
)

// objectID names an object. A later object with the same name has the same ID.
type objectID struct {
	kind            *kind
	namespace, name string
}

// String names the object in stories.
func (id objectID) String() string { return fmt.Sprintf("%s %s/%s", id.kind, id.namespace, id.name) }

// state is the state of an object from one version on. Without an object it was deleted, and
// full is its last state.
type state struct {
	version    int64
	object     map[string]any
	full, meta []byte // as JSON
}

// server is an API server in this process. It has objects of several kinds with all their
// states, lists, watches from a version, bookmarks, streaming lists, and a compacted past. It
// speaks HTTP as far as clients need it: see RoundTrip.
type server struct {
	streaming bool      // it offers streaming lists
	describes bool      // it says which cluster it is, as a memory asks for
	cluster   int       // which one
	real      elsewhere // if it is set, it has the objects, and this server only remembers them

	mu        sync.Mutex // guards everything below
	version   int64
	lives     int
	past      map[objectID][]*state
	log       map[*kind][]entry
	compacted int64 // no watch can begin at an older version
	doors     map[door]*manners
	streams   map[*stream]struct{}
	asked     int
}

// entry is an event of a kind.
type entry struct {
	what string // the type of the event in a watch
	id   objectID
	*state
}

// door is a kind in a form. All lists and watches of it use the same door.
type door struct {
	kind *kind
	form form
}

// String names the door in stories.
func (d door) String() string { return fmt.Sprintf("%s (%s)", d.kind, d.form) }

// manners say how the server treats lists and watches at one door.
type manners struct {
	refuses int  // the HTTP status of refusals; zero refuses nothing
	holds   bool // watches stay open and are silent
}

func newServer(streaming bool) *server {
	return &server{
		streaming: streaming, version: 10,
		past: map[objectID][]*state{}, log: map[*kind][]entry{},
		doors: map[door]*manners{}, streams: map[*stream]struct{}{},
	}
}

// present returns the present state of the object, or nil.
func (s *server) present(id objectID) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.presentLocked(id)
}

func (s *server) presentLocked(id objectID) *state {
	all := s.past[id]
	if len(all) == 0 || all[len(all)-1].object == nil {
		return nil
	}
	return all[len(all)-1]
}

// change creates the object if there is none, and calls do to change it. It returns the
// version, or zero if nothing has changed.
func (s *server) change(id objectID, do func(object map[string]any)) int64 {
	if s.real != nil {
		return s.real.change(id, do)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.presentLocked(id)
	if before == nil {
		object := s.bearLocked(id)
		do(object)
		return s.recordLocked("ADDED", id, object)
	}
	object := runtime.DeepCopyJSON(before.object)
	do(object)
	if reflect.DeepEqual(object, before.object) {
		return 0
	}
	metadata := object["metadata"].(map[string]any)
	if id.kind.generation && !reflect.DeepEqual(object["spec"], before.object["spec"]) {
		metadata["generation"] = metadata["generation"].(int64) + 1
	}
	return s.recordLocked("MODIFIED", id, object)
}

// bearLocked returns a new object.
func (s *server) bearLocked(id objectID) map[string]any {
	s.lives++
	metadata := map[string]any{
		"namespace": id.namespace, "name": id.name, "uid": "life-" + strconv.Itoa(s.lives),
		"creationTimestamp": "2026-01-01T00:00:00Z",
	}
	if id.kind.generation {
		metadata["generation"] = int64(1)
	}
	version, kind := id.kind.ToAPIVersionAndKind()
	object := map[string]any{"apiVersion": version, "kind": kind, "metadata": metadata}
	maps.Copy(object, id.kind.content())
	return object
}

// remove deletes the object, and returns the version of the deletion.
func (s *server) remove(id objectID) int64 {
	if s.real != nil {
		return s.real.remove(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.presentLocked(id)
	if before == nil {
		return 0
	}
	return s.recordLocked("DELETED", id, runtime.DeepCopyJSON(before.object))
}

func (s *server) recordLocked(what string, id objectID, object map[string]any) int64 {
	s.version++
	object["metadata"].(map[string]any)["resourceVersion"] = strconv.FormatInt(s.version, 10)
	next := &state{version: s.version, object: object, full: encode(object), meta: encode(partial(object))}
	if what == "DELETED" {
		next.object = nil
	}
	s.past[id] = append(s.past[id], next)
	s.log[id.kind] = append(s.log[id.kind], entry{what: what, id: id, state: next})
	s.wakeLocked(id.kind)
	return s.version
}

// wakeLocked wakes the streams of the kind, which look for events to send.
func (s *server) wakeLocked(k *kind) {
	for stream := range s.streams {
		if stream.door.kind == k {
			stream.news.Broadcast()
		}
	}
}

func encode(object map[string]any) []byte {
	encoded, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("encode %v: %v", object, err))
	}
	return encoded
}

// partial is the form of an object that the server sends to clients that want only metadata.
func partial(object map[string]any) map[string]any {
	return map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"]}
}

// in returns the state in a form, as JSON.
func (s *state) in(f form) []byte {
	if f == metadataForm {
		return s.meta
	}
	return s.full
}

// upToDate waits until the memory has all writes.
func (s *server) upToDate() {
	if s.real != nil {
		s.real.upToDate()
	}
}

// history returns all states of the object.
func (s *server) history(id objectID) []*state {
	s.upToDate()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.past[id])
}

// at returns the state of the object at a version. A state without an object is that of a
// deletion. Version zero is before all others.
func (s *server) at(id objectID, version int64) *state {
	s.upToDate()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, was := range s.past[id] {
		if was.version == version {
			return was
		}
	}
	return &state{version: version}
}

// goneAfter returns the first deletion of the object after a version.
func (s *server) goneAfter(id objectID, version int64) *state {
	for _, was := range s.history(id) {
		if was.version > version && was.object == nil {
			return was
		}
	}
	return &state{version: version}
}

// lastGone returns the newest deletion of the object.
func (s *server) lastGone(id objectID) *state {
	for _, was := range slices.Backward(s.history(id)) {
		if was.object == nil {
			return was
		}
	}
	return &state{}
}

// treat changes the manners at a door.
func (s *server) treat(d door, change func(*manners)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.mannersLocked(d))
	s.wakeLocked(d.kind)
}

func (s *server) mannersLocked(d door) *manners {
	m := s.doors[d]
	if m == nil {
		m = &manners{}
		s.doors[d] = m
	}
	return m
}

// cut ends the watches at a door.
func (s *server) cut(d door, how error) {
	if s.real != nil {
		s.real.cut()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for stream := range s.streams {
		if stream.door == d {
			stream.endLocked(how)
		}
	}
}

// compact forgets the past. So a client that has missed a part of it has to list again.
func (s *server) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = s.version
}

// latency returns how long the next request takes.
func (s *server) latency() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	return time.Duration(1+s.asked%7) * 310 * time.Microsecond
}
