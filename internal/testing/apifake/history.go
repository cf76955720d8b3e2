package apifake

import (
	"maps"
	"slices"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Object is what a Server has. An Object that a Server was given or gives away is a copy.
type Object = metav1.PartialObjectMetadata

// history is objects and what they were before, back to some version. A server has two.
type history struct {
	version int64 // up to here everything is known
	since   int64 // what was before is forgotten
	objects map[string]*Object
	changes []change // after since, oldest first
}

// change is what became of one object. Objects in it are never changed.
type change struct {
	version int64
	key     string
	was, is *Object // nil where there was none, or there is none any more
}

func newHistory(version int64, objects map[string]*Object) history {
	return history{version: version, since: version, objects: maps.Clone(objects)}
}

// clone is a history that goes its own way.
func (h *history) clone() history {
	c := *h
	c.objects, c.changes = maps.Clone(h.objects), slices.Clone(h.changes)
	return c
}

// record adds a change. This history has what was there before.
func (h *history) record(version int64, key string, is *Object) {
	h.changes = append(h.changes, change{version: version, key: key, was: h.objects[key], is: is})
	h.version = version
	if is == nil {
		delete(h.objects, key)
	} else {
		h.objects[key] = is
	}
}

// after is what has changed since a version.
func (h *history) after(version int64) []change {
	first := sort.Search(len(h.changes), func(i int) bool { return h.changes[i].version > version })
	return h.changes[first:]
}

// at is the objects as they were at a version that is not forgotten.
func (h *history) at(version int64) map[string]*Object {
	objects := maps.Clone(h.objects)
	for _, c := range slices.Backward(h.after(version)) {
		if c.was == nil {
			delete(objects, c.key)
		} else {
			objects[c.key] = c.was
		}
	}
	return objects
}

// forget leaves nothing that was before a version.
func (h *history) forget(version int64) {
	h.changes = slices.Clone(h.after(version))
	h.since = max(h.since, version)
}
