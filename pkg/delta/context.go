package delta

import "context"

type contextKey struct{}

// inContext is what a context has of a call of a reconciler.
type inContext struct {
	changes Changes
	word    *lastWord  // nil: nobody asks what the reconciler says
	part    bool       // the changes are not those of the call, but what its reconciler has made of them
	steps   *callSteps // nil: nobody keeps what becomes of them
}

var outside inContext

// inside is never nil.
func inside(ctx context.Context) *inContext {
	if c, ok := ctx.Value(contextKey{}).(*inContext); ok {
		return c
	}
	return &outside
}

func withCall(ctx context.Context, in *inContext) context.Context {
	return context.WithValue(ctx, contextKey{}, in)
}

// NewContext returns a context that From finds the changes in. A controller made by
// our builder does it; in a test, do it yourself:
//
//	ctx := delta.NewContext(t.Context(), delta.NewChanges(delta.Change{
//		Cause: delta.Primary, Op: delta.Updated, Old: before, New: after,
//	}))
//
// A reconciler that hands on a context with other changes stays the one that is called: a
// step that fails with that context has failed in the same call, and Keep is about that call. Settle says nothing with it, because
// it would speak for the other changes as well. So make the context of the call's. For work that outlives the call make it of context.WithoutCancel(ctx).
func NewContext(ctx context.Context, c Changes) context.Context {
	in := inContext{changes: c, steps: &callSteps{before: everyStep}}
	if call := inside(ctx); call.steps != nil {
		in.steps, in.word, in.part = call.steps, call.word, true
	}
	return withCall(ctx, &in)
}

// From returns the changes that led to this call of a reconciler. Where nobody has
// put any into ctx there are none, and they are not complete: what a reconciler does
// without our builder is what it does when it knows nothing.
func From(ctx context.Context) Changes {
	return inside(ctx).changes
}
