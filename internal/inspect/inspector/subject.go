package inspector

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Subject is an operator that can be looked at. All methods may be called by several goroutines
// at the same time. An answer belongs to the caller. Its lists may be nil. It says when it was made, and as JSON it has
// no more than [LongestAnswer] bytes.
//
// Kinds and controllers in calls are names as the subject itself told them: the handler looks
// them up first.
type Subject interface {
	Cache
	Journal
	Workers
	Actions
}

// Overview says how the operator as a whole is doing. None of its methods waits for anybody.
type Overview interface {
	Program() v1.Program
	// Past is of one controller, or of all together if the name is empty.
	Past(controller string) v1.Past
	// Health has all kinds and controllers, however many there are.
	Health() Health
}

// Health is how kinds and controllers are doing, without what is long.
type Health struct {
	// Runs is false if the cache does not run, so that it has no kinds.
	Runs bool
	// Kinds has a kind once for each reason that scopes of it are not well, with the error, and Why says what there is to know beside
	// that. One that is well is there once. None has its scopes.
	Kinds       []KindHealth
	Controllers []ControllerHealth
	Failing     []Failing // in no order
}

// KindHealth is how a kind is doing.
type KindHealth struct {
	v1.Kind

	Same string // equal for kinds that are not well for one reason
}

// ControllerHealth is how one controller is doing.
type ControllerHealth struct {
	Name, Advice string
	// Ready is how many requests wait for a worker, and Waited how long the first of them has. Unserved says that there is
	// no worker yet.
	Ready    int
	Unserved bool
	Waited   time.Duration
	// Longest is how long the slowest worker has had its request. If that is more than [LongCall], Request says which it is, if that
	// is known.
	Longest time.Duration
	Request Request
}

// Failing is a request whose last call failed.
type Failing struct {
	Request
	Kind  string // what its controller reconciles, as a name of /delta/v1/kinds
	Error string // of the last call
	Same  string // equal for requests that fail for one reason
	Times int    // calls in a row that failed
	Since time.Time
	Next  time.Time // when it is tried again; zero if that is not known
	More  bool      // more requests of the controller may fail than are known
}

// Cache says how the cache is doing. Kinds has one kind, or all if only is empty, and waits for nobody. Memory may take a while, and ends
// with its context. Its error may wrap [ErrNotFound] or [ErrBusy].
type Cache interface {
	Kinds(only string) v1.KindList
	// KindNames are the kinds with their names, groups and versions alone. Nobody is asked how they are doing.
	KindNames() []v1.Kind
	Memory(ctx context.Context, kind string) (v1.Memory, error)
	// Family has the owners of an object and what it owns, as [v1.Why] has them.
	Family(kind, namespace, name string) (owners, children []v1.Relative)
}

// Journal has the last things that happened. None of its methods waits for anybody.
type Journal interface {
	// Deltas are the last ones that match, the newest first, at most q.Limit of them. With q.First they are the first ones.
	Deltas(q DeltaQuery) v1.DeltaList
	// Follow begins a stream of the deltas that match, beginning after q.Since, the oldest
	// first. If that is zero it begins with the oldest that the journal has, and what was dropped
	// before is not lost. The caller closes it.
	Follow(q DeltaQuery) Stream
	// Newest is the highest ID that a delta has had so far, or more. Those that come have higher ones.
	Newest() uint64
	// Reconciles are the last calls that match, in the order that q asks for.
	Reconciles(q ReconcileQuery) v1.ReconcileList
	Loops() v1.LoopList
}

// Stream is a place in the journal that moves on. One goroutine uses it.
type Stream interface {
	// Ready has a token when Take may have something.
	Ready() <-chan struct{}
	// Take returns the next deltas, at most as many as asked for, and how many that it should
	// have returned the journal has dropped since the last call. A delta that was dropped counts if its kind
	// is wanted. If Take returns as many as asked for, there may be more, and Ready need not have a token
	// for these.
	Take(most int) (deltas []v1.Delta, lost uint64)
	// Close lets go of what the stream holds.
	Close()
}

// Workers say how controllers are doing.
type Workers interface {
	Overview
	Controllers() v1.ControllerList
	ControllerNames() []string
	// Queues has the queue of one controller, or of all if the name is empty, with at most
	// limit requests each.
	Queues(controller string, limit int) v1.QueueList
	Why(kind, namespace, name string) (v1.Why, error)
}

// Actions are the few things that can be asked of an operator. Each says in a sentence what it
// has done. An error may wrap [ErrNotFound] or [ErrUnable].
type Actions interface {
	Resync(ctx context.Context, kind string, selector labels.Selector) (v1.Done, error)
	Relist(ctx context.Context, kind string) (v1.Done, error)
	SetPolicy(ctx context.Context, kind string, policy resync.Policy) (v1.Done, error)
	Forget(ctx context.Context, request Request) (v1.Done, error)
	Cancel(ctx context.Context, request Request) (v1.Done, error)
}

// Request names a request of a controller.
type Request struct{ Controller, Namespace, Name string }

// DeltaQuery says which deltas are wanted. An empty field chooses all.
type DeltaQuery struct {
	Kind, Namespace, Name string
	Op, Manager           string
	// Since leaves out deltas up to the one with this ID, and Until those after another. Zero leaves out none.
	Since, Until uint64
	Limit        int  // always set, except by Follow
	First        bool // the limit keeps those next to Since, and not the newest
}

// ReconcileQuery says which calls are wanted. An empty field chooses all.
type ReconcileQuery struct {
	Controller, Namespace, Name string
	Result                      string
	Slowest                     bool // the one that took longest comes first, and not the last one
	Limit                       int
}
