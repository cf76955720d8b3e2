package tracing

import (
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// maxUnfinished is how many requests are remembered whose last call has not succeeded. If there
// are more, some of their next calls have no link.
const maxUnfinished = 1000

// traced is a reconciler with spans.
type traced[R comparable] struct {
	to     reconcile.TypedReconciler[R]
	name   string
	tracer trace.Tracer

	mu         sync.Mutex    // guards everything below; internal/base/lock has the order of the other module's locks
	unfinished map[R]attempt // the last call of each request that has not succeeded
}

// attempt is a call that has not succeeded.
type attempt struct {
	span  trace.SpanContext
	ended time.Time
}

// last returns the last call of a request, if that has not succeeded.
func (t *traced[R]) last(request R) (attempt, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a, there := t.unfinished[request]
	return a, there
}

// before returns a link to the span of the last call.
func (t *traced[R]) before(request R) []trace.Link {
	a, there := t.last(request)
	if !there {
		return nil
	}
	return []trace.Link{{SpanContext: a.span, Attributes: previousAttempt}}
}

// remember keeps a call that has not succeeded.
func (t *traced[R]) remember(request R, a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.unfinished[request]; !there && len(t.unfinished) == maxUnfinished {
		for other := range t.unfinished { // any
			delete(t.unfinished, other)
			break
		}
	}
	t.unfinished[request] = a
}

// forget forgets the last call of a request.
func (t *traced[R]) forget(request R) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.unfinished, request)
}
