package delta

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// listedKind is a kind that a source tells the ledger of. Of what has been there since its list
// the ledger hears everything.
type listedKind struct {
	kind    schema.GroupVersionKind
	example Object
	by      int // how many sources tell of it
	most    int // how many have at one time: if there are fewer, one has ended, and nobody tells what it would
}

// Listed is the [ledger.Auditor]'s. A call that has begun goes by what was listed before,
// because it took its changes then. Before the first call there is no gap: no request has
// succeeded yet, and so none is completely known.
func (l *clerk[R]) Listed(c Change) { l.list(c, 1) }

// Unlisted is the [ledger.Auditor]'s.
func (l *clerk[R]) Unlisted(c Change) { l.list(c, -1) }

// list notes a gap, and so many more sources that tell of the kind of c.
func (l *clerk[R]) list(c Change, more int) {
	kind := l.facts.kindOf(&c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		l.books.gaps++
	}
	at := slices.IndexFunc(l.tells.listed, func(k listedKind) bool { return k.kind == kind })
	if kind.Empty() || at < 0 && more < 0 {
		return
	}
	next := *l.tells
	next.listed = slices.Clone(next.listed)
	if at < 0 {
		at = len(next.listed)
		next.listed = append(next.listed, listedKind{kind: kind, example: c.Object()})
	}
	next.listed[at].by += more
	next.listed[at].most = max(next.listed[at].most, next.listed[at].by)
	l.tells = &next
}

// kindOf returns the kind of a change's object, as far as it is known.
func (f *facts) kindOf(c *Change) schema.GroupVersionKind {
	if obj := c.Object(); obj != nil && c.Kind.Empty() && f.KindOf != nil {
		if kind, err := f.KindOf(obj); err == nil {
			return kind
		}
	}
	return c.Kind
}

// shows reports whether a watch of the controller shows the kind.
func (f *facts) shows(kind schema.GroupVersionKind) bool {
	if f.Watches != nil {
		return f.Watches(kind)
	}
	return slices.ContainsFunc(f.listed, func(k listedKind) bool { return k.kind == kind && k.by == k.most })
}
