package observe

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/hotloop"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Cache is a cache that runs.
type Cache interface {
	// Kinds returns the kinds that have an informer, in order of their names.
	Kinds() []Kind
	// Unmade returns the kinds that have none yet although somebody asks for it.
	Unmade() []Unmade
	// Gaps is how often any kind has left something out. A kind that is removed is a gap, too, so that it grows.
	Gaps() uint64
	Resyncer
	// Record has a journal note the deltas of all kinds from now on, in place of the one before.
	// Nil ends that.
	Record(in *journal.Journal)
}

// Resyncer has objects shown again, as a cache does.
type Resyncer interface {
	Resync(ctx context.Context, obj client.Object, selector labels.Selector) error
	Relist(ctx context.Context, obj client.Object) error
	SetResync(obj client.Object, policy resync.Policy) error
}

// Kind is one kind of a cache.
type Kind struct {
	GVK  schema.GroupVersionKind
	Form string // empty for Go types; or unstructured, or metadata
	Name string
	// Example is an empty object of the kind in this form.
	Example  client.Object
	Informer *engine.Informer[any]
	// Weigh estimates how many bytes the kind's objects keep alive, at most once a minute.
	Weigh func(now time.Time) uint64
}

// Unmade is a kind that a cache can't make an informer for.
type Unmade struct {
	GVK    schema.GroupVersionKind
	Name   string
	Status informer.ReflectorStatus
}

// Controller is a controller of our builder that runs.
type Controller struct {
	Name  string
	Kind  schema.GroupVersionKind // of the objects that it reconciles; empty if there are none
	Calls *Calls

	Ledger func() delta.LedgerStatus
	Steps  func() []delta.StepStatus
	// HeldBack is how many events predicates have held back.
	HeldBack func() uint64
	// Record has a journal note all calls from now on, in place of the one before. Nil ends that.
	Record func(in *journal.Journal)
	// Loops returns the requests that are called again and again, and those that lately were.
	// LoopsFound counts them by pattern. Both are nil if nobody looks for them.
	Loops      func() []hotloop.Episode[delta.Key]
	LoopsFound func() map[string]uint64
	// DefersLoops says that such requests are held back, and LoopsHeld counts the calls that were. It
	// is nil as LoopsFound is.
	DefersLoops bool
	LoopsHeld   func() uint64
	// HeldUntil returns until when calls of a request are held back. It is zero or past if they are
	// not. It is nil if LoopsHeld or Requests is.
	HeldUntil func(of delta.Key) time.Time
	// Queue returns the numbers of its queue. It reports false for a queue that is not ours.
	Queue func() (queue.Stats, bool)
	// Requests is nil if the requests are of a type of the user's.
	Requests Requests
}

// Requests are what is known of the requests of one controller.
type Requests interface {
	// Contents returns up to limit requests of the queue: those that workers have first.
	Contents(limit int) []queue.Entry[delta.Key]
	// Entry returns what the queue has of one request.
	Entry(of delta.Key) (queue.Entry[delta.Key], bool)
	Remembered
	// Forget forgets the failures of a request, and adds it to the queue now if it was delayed.
	Forget(of delta.Key) bool
	// Cancel removes a request's delayed add.
	Cancel(of delta.Key) bool
}

// Remembered is what a ledger knows of requests.
type Remembered interface {
	// Waiting returns what the next call for a request will be told.
	Waiting(of delta.Key) delta.Changes
	LastSuccess(of delta.Key) (time.Time, bool)
}
