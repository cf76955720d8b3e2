package delta

import "context"

type contextKey struct{}

// NewContext returns a context that From finds the changes in. A controller made by
// our builder does it; in a test, do it yourself:
//
//	ctx := delta.NewContext(t.Context(), delta.NewChanges(delta.Change{
//		Cause: delta.Primary, Op: delta.Updated, Old: before, New: after,
//	}))
func NewContext(ctx context.Context, c Changes) context.Context {
	return context.WithValue(ctx, contextKey{}, &c)
}

// From returns the changes that led to this call of a reconciler. Where nobody has
// put any into ctx there are none, and they are not complete: what a reconciler does
// without our builder is what it does when it knows nothing.
func From(ctx context.Context) Changes {
	if c, ok := ctx.Value(contextKey{}).(*Changes); ok {
		return *c
	}
	return Changes{}
}
