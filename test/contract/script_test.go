package contract

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// script is what a client does, and which events happen to the server meanwhile.
type script struct {
	name  string
	alone bool // writes of others would change the outcome
	steps []step
}

// step is one of put, remove, crowd, list, watch, pause, together and event.
type step any

// put creates or changes an object, which gets the label if it is not empty.
type put struct{ name, label string }

// remove deletes an object.
type remove struct{ name string }

// list is a list request. The player keeps the continue token of its answer.
type list request

// watch is a watch request. The steps are played when the watch is open.
type watch struct {
	request
	then []step
	open time.Duration // how long to read from it after the steps; 0 is the usual time
}

// crowd are many writes of somebody else.
type crowd struct{ writes int }

// pause is time that passes.
type pause time.Duration

// together are requests that are made at the same time.
type together []step

// event is something that happens to the server, once for all scripts of a group.
type event string

const (
	restart      event = "restart"       // the API server
	compact      event = "compact"       // etcd
	backup       event = "backup"        // of etcd
	restore      event = "restore"       // the backup, and restart
	restoreBelow event = "restore below" // an API server that runs on
)

// request is the options of a list or watch.
type request struct {
	version   string // "", "0", a name, or nonsense
	match     metav1.ResourceVersionMatch
	limit     int64
	from      string // continue token: "", "next" for the last list's, "rest" for the last error's, or nonsense
	initial   *bool
	bookmarks bool
	timeout   int64
}

// String is the text of a request in a transcript.
func (r request) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "from %q", r.version)
	if r.match != "" {
		fmt.Fprintf(&b, " match=%s", r.match)
	}
	if r.limit != 0 {
		fmt.Fprintf(&b, " limit=%d", r.limit)
	}
	if r.from != "" {
		fmt.Fprintf(&b, " continue=%s", r.from)
	}
	if r.initial != nil {
		fmt.Fprintf(&b, " initial=%v", *r.initial)
	}
	if r.bookmarks {
		b.WriteString(" bookmarks")
	}
	if r.timeout != 0 {
		fmt.Fprintf(&b, " timeout=%ds", r.timeout)
	}
	return b.String()
}

const (
	exact        = metav1.ResourceVersionMatchExact
	notOlderThan = metav1.ResourceVersionMatchNotOlderThan
)

var yes, no = new(true), new(false)

// takesTime reports whether a script waits for a server that starts again, or depends on when something happens:
// on a timeout, a pause, or the writes of others.
func (s script) takesTime() bool { return s.alone || slices.ContainsFunc(s.steps, takesTime) }

func takesTime(one step) bool {
	switch s := one.(type) {
	case event, pause:
		return true
	case together:
		return slices.ContainsFunc(s, takesTime)
	case watch:
		return s.timeout != 0 || slices.ContainsFunc(s.then, takesTime)
	default:
		return false
	}
}

// watches is how many watches there are in a step. No watch is opened while another one is read.
func watches(one step) (n int) {
	switch s := one.(type) {
	case together:
		for _, part := range s {
			n += watches(part)
		}
	case watch:
		n = 1
	}
	return n
}

// fate are the events of a script. Scripts with the same fate are in one group.
func (s script) fate() string {
	var fate []string
	if s.alone {
		fate = append(fate, s.name)
	}
	for _, one := range s.steps {
		if e, ok := one.(event); ok {
			fate = append(fate, string(e))
		}
	}
	return strings.Join(fate, ", ")
}

// acts are the parts of the script between its events.
func (s script) acts() (acts [][]step, events []event) {
	acts = [][]step{nil}
	for _, one := range s.steps {
		if e, ok := one.(event); ok {
			events, acts = append(events, e), append(acts, nil)
			continue
		}
		acts[len(acts)-1] = append(acts[len(acts)-1], one)
	}
	return acts, events
}
