package skip

import (
	"fmt"
	"slices"
	"strings"
)

// plan is the world of a seed: what two operators watch and do, and what happens around them.
type plan struct {
	seed   uint64
	dice   dice
	traits traits
	// poked says that at the end each primary object is changed at a place that no job depends
	// on, so that all are reconciled once more. Without that the operators have to be right
	// after the events before.
	poked bool
	// settled says that no object moves from one primary object to another, and that no job
	// depends on a place that says what an object belongs to.
	settled   bool
	streaming bool
	workers   int
	// sluggish says that workers pause between getting a request and handling it.
	sluggish bool
	// odd is a kind. The cache has some of its objects as another Go type. It may be nil.
	odd        *kind
	namespaces []string
	watches    []*watch // the first is that of the primary kind
	jobs       []*job
	births     []*step // the objects at the beginning
	steps      []*step
}

// traits are the features that a world may have. Each seed has some of them. If every world
// had all of them, the effects of one would hide those of another.
type traits uint64

const (
	predicates traits = 1 << iota
	twins             // several watches of one kind
	slowness          // map functions that sleep
	metadata          // watches of only metadata
	liveReads
	losses // watches are cut, and the events meanwhile are compacted away
	delays // watches are silent for a while
	removals
	departures // namespaces are removed from the cache and come back
	uprootings // custom kinds are removed from the server and come back
	restarts
	failures
	postponements // work is left for later
	misspellings
	lookalikes // a custom kind called Secret
	crashes    // handlers panic
	foreigners // sources of controller-runtime
	rebirths
	questions // Of, By and Only
	resyncs
	channels
	ownWrites
	lives // work depends on the UID of an object
	moves
	narrowness // the ledger has narrow limits
	latecomers // watches that are added to a running controller
	oddities   // objects with another Go type than that of their kind
	detours    // handlers that add with a delay
	hiding     // objects that a relist shows unchanged are not told
	memories   // the manager has a memory; some processes are killed, and objects change while none runs
	stepwise   // jobs are steps of a delta.Plan, and calls succeed without having come to all of them
)

var traitNames = []string{
	"predicates", "twins", "slowness", "metadata", "live reads", "losses", "delays", "removals", "departures",
	"uprootings", "restarts", "failures", "postponements", "misspellings", "lookalikes", "crashes", "foreigners", "rebirths",
	"questions", "resyncs", "channels", "own writes", "lives", "moves", "narrowness", "latecomers", "oddities",
	"detours", "hiding", "memories", "stepwise",
}

// String lists the traits.
func (t traits) String() string {
	var names []string
	for i, name := range traitNames {
		if t&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// relation says how an object of a watched kind leads to a request.
type relation uint8

const (
	itself    relation = iota // it is the primary object
	byOwner                   // the primary object owns it
	byLabel                   // a label of it names the primary object
	byMention                 // the primary object names it
)

// String names the relation in stories.
func (r relation) String() string {
	return [...]string{"the primary object", "owned", "labelled", "mentioned"}[r]
}

// belongsAt is the place in which an object says what it belongs to. It is nil if there is
// none.
func (r relation) belongsAt() *place {
	switch r {
	case byOwner:
		return owned
	case byLabel:
		return labelled
	default:
		return nil
	}
}

// route says how a watch is built.
type route uint8

const (
	viaFor route = iota
	viaOwns
	viaWatches
	viaOurs   // our source.Kind as a raw source
	viaTheirs // controller-runtime's source
	viaDeltas // our source of deltas
	viaTyped  // our source.Kind with a handler for the kind's Go type
)

// String names the route in stories.
func (r route) String() string {
	return [...]string{"For", "Owns", "Watches", "our source.Kind", "controller-runtime's source.Kind", "source.Deltas", "our source.NewTypedKind"}[r]
}

// pace says how a handler is slow.
type pace uint8

const (
	atOnce   pace = iota
	sleepy        // its map function sleeps
	delaying      // it adds with a delay
)

// String names the pace in stories.
func (p pace) String() string {
	return [...]string{"", ", sleepy", ", adds for later"}[p]
}

// watch is one watch of both operators.
type watch struct {
	n        int
	kind     *kind
	form     form
	relation relation
	route    route
	pace     pace
	filter   filter
	crashes  bool // its handler panics at times
	late     bool // it is added while the controller runs
}

// String is the text of the watch in stories.
func (w *watch) String() string {
	more := ""
	if w.crashes {
		more += ", panics now and then"
	}
	if w.late {
		more += ", added late"
	}
	return fmt.Sprintf("watch %d: %s %s (%s), %s, %s%s%s", w.n, w.route, w.kind, w.form, w.relation, w.filter.name, w.pace, more)
}

// visible returns the places whose changes a watch with this filter shows. A watch of
// metadata also counts for other places, because it shows that something may have changed
// there.
func (w *watch) visible(f filter) []*place {
	var all []*place
	for _, p := range w.kind.places {
		if f.shows(p) {
			all = append(all, p)
		}
	}
	return all
}

// manner says how a job reads.
type manner uint8

const (
	getting manner = iota
	listing
	readingLive
)

// String names the manner in stories.
func (m manner) String() string { return [...]string{"gets", "lists", "reads live"}[m] }

// question says how the lazy operator asks whether a job has to be done.
type question uint8

const (
	askTouches question = iota
	askOf               // Of(kind).Touches
	askBy               // By(causes).Touches
	askHas
	askOnlySync
	askOnlyUpdated
	askStep // it is a step of a delta.Plan
)

// job is a part of an operator's work. It reads a place of each object that belongs to a
// request, and the value is its output.
type job struct {
	n        int
	kind     *kind
	relation relation
	// place is the place that the job depends on. If it is nil, the job depends on whether the
	// object exists.
	place *place
	// life says that it also depends on the UID of the object.
	life    bool
	manner  manner
	form    form
	asks    question
	example form   // the form of the example for Of
	spelled string // the path in the question, which may be misspelt
	// notOnResync is said of a step.
	notOnResync bool
	// shownBy are the watches that show everything that the job depends on. There is at least
	// one. Without one no operator could be right.
	shownBy []*watch
}

// String is the text of the job in stories.
func (j *job) String() string {
	what := "its existence"
	if j.place != nil {
		what = j.place.path
	}
	if j.life {
		what += " and the UID"
	}
	var by []string
	for _, w := range j.shownBy {
		by = append(by, fmt.Sprint(w.n))
	}
	return fmt.Sprintf("job %d: %s %s (%s), %s: %s; shown by watch %s; asks %s",
		j.n, j.manner, j.kind, j.form, j.relation, what, strings.Join(by, ", "), j.asked())
}

// depends are the paths that the job depends on.
func (j *job) depends(settled bool) []string {
	var paths []string
	if j.place != nil {
		paths = append(paths, j.spelled)
	}
	switch at := j.relation.belongsAt(); {
	case at != nil && (!settled || j.place == nil):
		paths = append(paths, at.path)
	case j.place == nil:
		paths = append(paths, "metadata.name") // the path metadata exists while the object does
	}
	return paths
}

// asked describes the question in words.
func (j *job) asked() string {
	touches := fmt.Sprintf("Touches(%s)", strings.Join(j.depends(false), ", "))
	switch j.asks {
	case askOf:
		return fmt.Sprintf("Of(%s %s).%s", j.example, j.kind, touches)
	case askBy:
		return fmt.Sprintf("By(%v).%s", j.causes(), touches)
	case askHas:
		return fmt.Sprintf("!Complete, or Has(%v)", j.causes())
	case askOnlySync:
		return "!Only(Sync)"
	case askOnlyUpdated:
		return "!Only(Updated, Sync)"
	case askStep:
		return fmt.Sprintf("Plan.On(%s %s, %s), not on resync: %t", j.example, j.kind, strings.Join(j.depends(false), ", "), j.notOnResync)
	default:
		return touches
	}
}

// String is the text of the plan in stories.
func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "traits: %s\n", p.traits)
	fmt.Fprintf(&b, "poked at the end: %t; streaming lists: %t; workers: %d, sluggish: %t; namespaces: %v; no object changes its owner: %t\n", p.poked, p.streaming, p.workers, p.sluggish, p.namespaces, p.settled)
	for _, w := range p.watches {
		fmt.Fprintln(&b, w)
	}
	for _, j := range p.jobs {
		fmt.Fprintln(&b, j)
	}
	return b.String()
}

// has reports whether a world has one of these traits.
func (p *plan) has(t traits) bool { return p.traits&t != 0 }

// primary is the kind of the primary objects.
func (p *plan) primary() *kind { return p.watches[0].kind }

// names are the names of the objects of a kind, in each namespace.
func (p *plan) names(k *kind) []string {
	if k == p.primary() {
		return []string{"m", "n"}
	}
	return []string{"x", "y"}
}

// objects returns all objects of a kind that may exist.
func (p *plan) objects(k *kind) []objectID {
	var all []objectID
	for _, namespace := range p.namespaces {
		for _, name := range p.names(k) {
			all = append(all, objectID{k, namespace, name})
		}
	}
	return all
}

// kinds returns the watched kinds.
func (p *plan) kinds() []*kind {
	var all []*kind
	for _, w := range p.watches {
		if !slices.Contains(all, w.kind) {
			all = append(all, w.kind)
		}
	}
	return all
}
