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

// OnlyListed is the [ledger.Watches]'s.
func (l *clerk[R]) OnlyListed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.tells
	next.onlyListed = true
	l.tells = &next
}

// Listed is the [ledger.Watches]'s. A call that has begun goes by what was listed before,
// because it took its changes then. Before the first call there is no gap: no request has
// succeeded yet, and so none is completely known.
func (l *clerk[R]) Listed(c Change) {
	l.changeListed(c, func(all []listedKind, kind schema.GroupVersionKind, at int) []listedKind {
		if at < 0 {
			return append(all, listedKind{kind, c.Object(), 1, 1})
		}
		all[at].by++
		all[at].most = max(all[at].most, all[at].by)
		return all
	})
}

// Unlisted is the [ledger.Watches]'s.
func (l *clerk[R]) Unlisted(c Change) {
	l.changeListed(c, func(all []listedKind, _ schema.GroupVersionKind, at int) []listedKind {
		if at >= 0 {
			all[at].by--
		}
		return all
	})
}

// changeListed notes a gap, and changes a copy of what is listed. at is where the kind of c is in it,
// or negative.
func (l *clerk[R]) changeListed(c Change, change func(all []listedKind, kind schema.GroupVersionKind, at int) []listedKind) {
	kind := l.facts.kindOf(&c)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.begun {
		l.books.miss()
	}
	if !l.tells.onlyListed || kind.Empty() {
		return
	}
	next := *l.tells
	at := slices.IndexFunc(next.listed, func(k listedKind) bool { return k.kind == kind })
	next.listed = change(slices.Clone(next.listed), kind, at)
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

// shows reports whether a watch of the controller shows the kind, or may.
func (f *facts) shows(kind schema.GroupVersionKind) bool {
	if f.Watches != nil {
		return f.Watches(kind)
	}
	return !f.onlyListed || f.lists(kind)
}

func (f *facts) lists(kind schema.GroupVersionKind) bool {
	return slices.ContainsFunc(f.listed, func(k listedKind) bool { return k.kind == kind && k.by == k.most })
}
