package contract

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
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

// names are the names of the versions of a script's writes. A write may be lost, or the
// server may not know it yet. Requests can still use the name of such a write, but no version
// in an answer gets it.
type names struct {
	known []named
	blind bool // the server hears of nothing
	count int
}

type named struct {
	name          string
	version       int64
	lost, unknown bool
}

func (n *names) upcoming() string { return fmt.Sprint("w", n.count+1) }

func (n *names) add(version string) {
	number, _ := strconv.ParseInt(version, 10, 64) // the error of a failed write has been reported
	n.known = append(slices.Clone(n.known), named{name: n.upcoming(), version: number, unknown: n.blind})
	n.count++
}

// after notes the effect of an event. backup is the version of the backup, if there is one.
func (n *names) after(e event, backup int64) {
	known := slices.Clone(n.known)
	if e == restore || e == restart && n.blind {
		for i := range known {
			known[i].lost = known[i].lost || !known[i].unknown && known[i].version > backup
			known[i].unknown = false
		}
	}
	n.known, n.blind = known, e == restoreBelow || n.blind && e != restart && e != restore
}

// version is the number behind a name in a script.
func (n *names) version(name string) string {
	var last int64
	for _, known := range n.known {
		if known.name == name {
			return strconv.FormatInt(known.version, 10)
		}
		last = max(last, known.version)
	}
	if name == "future" {
		return strconv.FormatInt(last+1_000_000, 10)
	}
	return name
}

// of is the name of the last write up to a version.
func (n *names) of(version string) string {
	number, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return strconv.Quote(version)
	}
	last := named{name: "before"}
	for _, known := range n.known {
		if known.version <= number && known.version >= last.version && !known.lost && !known.unknown {
			last = known
		}
	}
	return last.name
}

// random is a script of some writes, and of requests with random options, which may not make
// sense. For most seeds there is an event in between.
func random(seed uint64) script {
	rng := rand.New(rand.NewPCG(seed, 0))
	d := dice{rng, map[string]bool{}}
	s := script{name: fmt.Sprint("seed=", seed)}
	fates := [][]event{nil, {compact, restart}, {restart, compact}}
	count := 0
	act := func() {
		for range 3 + rng.IntN(5) {
			s.steps, count = append(s.steps, d.write()), count+1
		}
		if rng.IntN(2) == 0 {
			s.steps = append(s.steps, list{limit: 1 + rng.Int64N(2)})
		}
	}
	act()
	for _, e := range fates[rng.IntN(len(fates))] {
		s.steps = append(s.steps, e)
		if rng.IntN(2) == 0 {
			act()
		}
	}
	var requests together
	for range 8 {
		if r := d.request(count); rng.IntN(2) == 0 {
			requests = append(requests, list(r))
		} else {
			requests = append(requests, watch{request: r})
		}
	}
	s.steps = append(s.steps, requests)
	return s
}

// dice draws what a script does. It knows which objects there are.
type dice struct {
	*rand.Rand
	there map[string]bool
}

func (d dice) write() step {
	name := string(rune('a' + d.IntN(5)))
	if d.there[name] && d.IntN(3) == 0 {
		d.there[name] = false
		return remove{name}
	}
	d.there[name] = true
	return put{name, []string{"", "red"}[d.IntN(2)]}
}

// request draws options. It leaves out each option in most cases. Otherwise hardly any
// request would make sense.
func (d dice) request(writes int) request {
	r := request{bookmarks: d.IntN(3) == 0}
	switch d.IntN(6) {
	case 0:
	case 1:
		r.version = "0"
	case 2:
		r.version = "future"
	default:
		r.version = fmt.Sprint("w", 1+d.IntN(writes))
	}
	if d.IntN(2) == 0 {
		r.match = []metav1.ResourceVersionMatch{exact, notOlderThan}[d.IntN(2)]
	}
	if d.IntN(3) == 0 {
		r.limit = 1 + d.Int64N(3)
	}
	if d.IntN(4) == 0 {
		r.initial = []*bool{yes, no}[d.IntN(2)]
	}
	if d.IntN(5) == 0 {
		r.from = []string{"next", "rest", "nonsense"}[d.IntN(3)]
	}
	return r
}
