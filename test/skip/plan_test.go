package skip

import (
	"fmt"
	"slices"
	"strings"
)

// plan is a world that a seed has come up with: what two operators watch and do, and what
// happens around them.
type plan struct {
	seed   uint64
	dice   dice
	traits traits
	// poked says that in the end something happens to each primary object that no work
	// depends on, so that everybody is called once more. Without it the operators have to
	// get it right by what has happened before.
	poked bool
	// settled says that nothing moves from one primary object to another, and that the
	// work depends on no place that says what something belongs to.
	settled   bool
	streaming bool
	workers   int
	// sluggish says that workers take a while from getting a request to looking at it.
	sluggish bool
	// odd is a kind of which the cache has some objects as another Go type. It may be nil.
	odd        *kind
	namespaces []string
	watches    []*watch // the first is that of the primary kind
	jobs       []*job
	births     []*step // what there is from the beginning
	steps      []*step
}

// traits are what a world may be like. Each seed has some: where everything happens in
// every world, what one thing does hides what another one does.
type traits uint32

const (
	predicates traits = 1 << iota
	twins             // several watches of one kind
	slowness          // map functions that sleep
	keepers           // handlers that keep their queue
	metadata          // watches of metadata alone
	liveReads
	losses // watches are cut, and what happens meanwhile is compacted away
	delays // watches bring nothing for a while
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
	floods
	channels
	ownWrites
	lives // work depends on which life of an object it is
	moves
	narrowness // the ledger holds little
	latecomers // watches that are added to a controller that runs
	oddities   // objects that are of another Go type than their kind
	detours    // handlers that add with a delay
	hiding     // what a relist shows unchanged is not told
)

var traitNames = []string{
	"predicates", "twins", "slowness", "keepers", "metadata", "live reads", "losses", "delays", "removals", "departures",
	"uprootings", "restarts", "failures", "postponements", "misspellings", "lookalikes", "crashes", "foreigners", "rebirths",
	"questions", "resyncs", "floods", "channels", "own writes", "lives", "moves", "narrowness", "latecomers", "oddities",
	"detours", "hiding",
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

// relation is how an object of a watched kind leads to a request.
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

// belongsAt is where an object says what it belongs to. It is nil where it does not.
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

// route is how a watch is built.
type route uint8

const (
	viaFor route = iota
	viaOwns
	viaWatches
	viaOurs   // our source.Kind as a raw source
	viaTheirs // controller-runtime's
	viaDeltas // our source of deltas
	viaTyped  // our source.Kind with a handler for the kind's Go type
)

// String names the route in stories.
func (r route) String() string {
	return [...]string{"For", "Owns", "Watches", "our source.Kind", "controller-runtime's source.Kind", "source.Deltas", "our source.NewTypedKind"}[r]
}

// pace is how a handler takes its time.
type pace uint8

const (
	atOnce   pace = iota
	sleepy        // its map function sleeps
	keeping       // it keeps its queue, and adds later
	delaying      // it adds for later
)

// String names the pace in stories.
func (p pace) String() string {
	return [...]string{"", ", sleepy", ", keeps its queue", ", adds for later"}[p]
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
	crashes  bool // its handler panics now and then
	late     bool // it is added when the controller runs
}

// String is how the watch appears in stories.
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

// visible are the places that a watch with this filter shows, in one way or the other: who
// watches metadata alone learns that something else may have changed.
func (w *watch) visible(f filter) []*place {
	var all []*place
	for _, p := range w.kind.places {
		if f.shows(p) {
			all = append(all, p)
		}
	}
	return all
}

// manner is how a job reads.
type manner uint8

const (
	getting manner = iota
	listing
	readingLive
)

// String names the manner in stories.
func (m manner) String() string { return [...]string{"gets", "lists", "reads live"}[m] }

// question is how the lazy operator asks whether a job has to be done.
type question uint8

const (
	askTouches question = iota
	askOf               // Of(kind).Touches
	askBy               // By(causes).Touches
	askHas
	askOnlySync
	askOnlyUpdated
)

// job is a piece of an operator's work: what is at a place of each object that belongs to
// a request goes out into the world.
type job struct {
	n        int
	kind     *kind
	relation relation
	// place is what the work depends on. Nil is whether there is such an object.
	place *place
	// life says that it also depends on which life of the object it is.
	life    bool
	manner  manner
	form    form
	asks    question
	example form   // what Of is asked with
	spelled string // the path that is asked for
	// shownBy are the watches that show everything that the job depends on. There is one at
	// least, or nobody could be right.
	shownBy []*watch
}

// String is how the job appears in stories.
func (j *job) String() string {
	what := "whether there is one"
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
		paths = append(paths, "metadata.name") // which comes and goes with the object
	}
	return paths
}

// asked is the question in words.
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
	default:
		return touches
	}
}

// String is how the plan appears in stories.
func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "traits: %s\n", p.traits)
	fmt.Fprintf(&b, "poked in the end: %t; streaming lists: %t; workers: %d, sluggish: %t; namespaces: %v; nothing changes hands: %t\n", p.poked, p.streaming, p.workers, p.sluggish, p.namespaces, p.settled)
	for _, w := range p.watches {
		fmt.Fprintln(&b, w)
	}
	for _, j := range p.jobs {
		fmt.Fprintln(&b, j)
	}
	return b.String()
}

// has reports whether a world is like this.
func (p *plan) has(t traits) bool { return p.traits&t != 0 }

// primary is the kind that requests are about.
func (p *plan) primary() *kind { return p.watches[0].kind }

// names are those of the objects of a kind, in each namespace.
func (p *plan) names(k *kind) []string {
	if k == p.primary() {
		return []string{"m", "n"}
	}
	return []string{"x", "y"}
}

// objects are all that there can be of a kind.
func (p *plan) objects(k *kind) []objectID {
	var all []objectID
	for _, namespace := range p.namespaces {
		for _, name := range p.names(k) {
			all = append(all, objectID{k, namespace, name})
		}
	}
	return all
}

// kinds are those that are watched.
func (p *plan) kinds() []*kind {
	var all []*kind
	for _, w := range p.watches {
		if !slices.Contains(all, w.kind) {
			all = append(all, w.kind)
		}
	}
	return all
}
