package ledger

import (
	"context"
	"iter"
	"time"
)

// Outcome is what became of a request.
type Outcome uint8

const (
	// Succeeded means that the reconciler has dealt with what it was told.
	Succeeded Outcome = iota + 1
	// SucceededWithTimer is a success that asks for another call.
	SucceededWithTimer
	// Failed means that the ledger has to tell everything again: the reconciler returned an
	// error, also one that nobody retries, or panicked.
	Failed
	// Unfinished means that the ledger has to tell everything again although nothing failed.
	// The reconciler waits for something: it asks for another call, or something will
	// happen that leads to one.
	Unfinished
	// SettledAndFailed means that the reconciler has dealt with what it was told, and that
	// the attempt failed afterwards.
	SettledAndFailed
)

// Clerk keeps a ledger. R is a request, C a change, K the cause of a change, and T what a
// reconciler is told.
type Clerk[R comparable, C, K, T any] interface {
	Recorder[R, C]
	Teller[R, T]
	Auditor[C]
	Marker[C, K]
	Witness[R, T]
}

// Witness is asked by those who only look.
type Witness[R comparable, T any] interface {
	// Waiting returns what the next call for a request will be told, as far as it is recorded
	// now. It changes nothing.
	Waiting(r R) T
	// Lacking says in one word why what a reconciler is told is not complete; empty if it is.
	// There are at most ten such words.
	Lacking(told T) string
	// Describe visits each change. Bit n of causes is set if the change has the cause of number
	// n, seen is when its first delta was seen, and zero if it stands for none or an earlier call was told it, and own says
	// whether the operator itself made it.
	Describe(told T, visit func(causes uint16, seen time.Time, own bool))
	// Rests reports whether the request has succeeded less than this long ago, and nothing that it was
	// told is to be told again.
	Rests(r R, length time.Duration) bool
	// HeldBack is how many events predicates have held back.
	HeldBack() uint64
}

// Recorder takes down what changes requests are made for.
type Recorder[R comparable, C any] interface {
	// Record notes that a request is about to be put into the queue for a change. The same
	// change does not count twice if [Marker.Once] has marked it.
	Record(r R, c C)
	// Landed notes that the request is in the queue. It follows each Record.
	Landed(r R)
	// LandedLater notes that the request will be in the queue after a while. It follows a
	// Record in place of Landed.
	LandedLater(r R)
	// HoldBack notes that a predicate has held an event back.
	HoldBack()
	// NewStream begins a stream. With byKey each object is for one request, which its key
	// decides.
	NewStream(byKey bool) Stream[R, C]
}

// Teller tells a reconciler what led to a request.
type Teller[R comparable, T any] interface {
	// Begin takes the changes as Take does, and returns a context with them for the reconciler.
	// The call's End has to follow.
	Begin(ctx context.Context, r R) (context.Context, Call)
	// Take returns what there is to tell of a request that a worker has taken from the
	// queue. Settle has to follow before the worker gives the request back to the queue.
	Take(r R) T
	// Settle says what became of the request.
	Settle(r R, how Outcome)
}

// Auditor learns what the ledger can't know.
type Auditor[C any] interface {
	// Count adds what a source counts. It is called under the ledger's lock, so it takes none itself
	// but that of a Runtime.
	//
	// Gaps are how many times the source may have missed changes: because a watch or a namespace came
	// or went, an object could not be read, or events were left out. When they grow, no request is
	// completely known until its next success. Relists are how many times the source has listed again.
	// Nobody knows what was undone before the list, or came and went, but a reconciler may have read it
	// from the server. When they grow, each request's changes touch everything until its next success.
	Count(missed func() (gaps, relists uint64))
	// Blind says why changes can't be known at all. From then on no request is completely
	// known.
	Blind(why string)
	// Listed notes that a source has told of everything that is there of the kind of c, whose
	// object is an example. From then on the source tells what happens, and the kind counts as watched
	// in the calls that begin later. Nobody knows what happened before, so no request that was taken
	// before is completely known until its next success.
	Listed(c C)
	// Unlisted notes that a source which has called Listed tells nothing of that kind any more. A kind that no
	// source tells of does not count as watched. Here, too, there is a gap.
	Unlisted(c C)
}

// Marker marks changes.
type Marker[C, K any] interface {
	// Once returns c so that it counts once for a request, however often it is recorded
	// for it: a handler may add a request for the old state of an object and for the new.
	Once(c C) C
	// ShownBy takes a c that changed nothing, and returns it as a watch shows it whose
	// changes have this cause. If c shows what the watch told nobody of before, it has the
	// cause as well.
	ShownBy(c C, watch K) C
	// Unfold yields the changes that c was made of: one from each state that the object had
	// to the next. A change that is not of several states is yielded itself.
	Unfold(c C) iter.Seq[C]
	// Retold reports whether an earlier call was told the state that c ends with. Of what Unfold yields the first may be.
	Retold(c C) bool
	// HasNews reports whether something has led to c that no earlier call was told.
	HasNews(c C) bool
}

// Stream makes changes of what one watch shows.
type Stream[R comparable, C any] interface {
	// Begin notes that a handler, or the predicates before it, are about to see an event.
	// One goroutine at a time begins and ends all deliveries of a stream, and restarts it.
	Begin(c C) Delivery[R]
	// Restart forgets everything: what is shown from now on begins with a snapshot.
	Restart()
}

// Delivery is one event on its way to a handler. Any goroutine may record it, also when the
// handler has long returned.
type Delivery[R comparable] interface {
	// Record notes that a request is about to be put into the queue for this event. Landed
	// or LandedLater has to follow.
	Record(r R)
	// End says that the handler has returned, or that a predicate has held the event back.
	End()
}

// Call is one call of a reconciler.
type Call interface {
	// Err returns the errors of the steps that failed so far. If the reconciler does not
	// return it, its caller must: nobody would retry the steps otherwise.
	Err() error
	// End says what the call came to. The reconciler's own word overrides it, and a step
	// that failed overrides both.
	End(how Outcome)
}
