package sim

import (
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// transcript is everything that the client of a server has received, in order: complete
// lists, watch events and bookmarks. It alone decides what an informer must tell its
// handlers, whatever the timing was.
type transcript struct {
	mu      sync.Mutex // guards entries and their aborted
	entries []*entry
}

// entry is a list if items is not nil, a watch event if kind is set, and a
// bookmark otherwise.
type entry struct {
	items   world
	kind    watch.EventType
	key     string
	state   state
	version string
	// aborted is set if the client left before it received the event. An event is noted before
	// it is sent, because the client may react to it at once.
	aborted bool
}

func (t *transcript) add(e *entry) *entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
	return e
}

func (t *transcript) abort(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.aborted = true
}

func (t *transcript) listed(objects []*corev1.ConfigMap, version string) *entry {
	return t.add(&entry{items: worldOf(objects), version: version})
}

func (t *transcript) listedMap(objects map[string]*corev1.ConfigMap, version string) *entry {
	items := world{}
	for key, o := range objects {
		items[key] = stateOf(o)
	}
	return t.add(&entry{items: items, version: version})
}

func (t *transcript) event(kind watch.EventType, o *corev1.ConfigMap) *entry {
	return t.add(&entry{kind: kind, key: keyOf(o), state: stateOf(o), version: o.ResourceVersion})
}

func (t *transcript) bookmark(version string) *entry {
	return t.add(&entry{version: version})
}

// taken returns what the client has received up to now.
func (t *transcript) taken() []*entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	var taken []*entry
	for _, e := range t.entries {
		if !e.aborted {
			taken = append(taken, e)
		}
	}
	return taken
}

// firstList is the first complete list that the client received, or nil.
func (t *transcript) firstList() world {
	for _, e := range t.taken() {
		if e.items != nil {
			return e.items
		}
	}
	return nil
}

// String is the text of an entry in a report.
func (e *entry) String() string {
	switch {
	case e.items != nil:
		var b strings.Builder
		for _, key := range keysOf(e.items) {
			fmt.Fprintf(&b, " %s@%d", key, e.items[key].rev)
		}
		return fmt.Sprintf("LIST %s:%s", e.version, b.String())
	case e.kind != "":
		return fmt.Sprintf("%s %s: %s@%d", e.kind, e.version, e.key, e.state.rev)
	default:
		return "BOOKMARK " + e.version
	}
}
