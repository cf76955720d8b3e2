package differential

import (
	"context"
	"fmt"
	"strings"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// steps takes random steps, mostly questions. Nothing is written meanwhile.
func (g *game) steps(ctx context.Context, n int) error {
	for range n {
		var err error
		switch g.rng.IntN(20) {
		case 0, 1, 2:
			err = g.index(ctx)
		case 3:
			err = g.attach(ctx, g.mine())
		case 4:
			err = g.remove(ctx)
		case 5:
			err = g.hurry(ctx)
		case 6:
			err = g.startAgain(ctx)
		default:
			err = g.askRandomly(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mine draws a subject that can be read.
func (g *game) mine() subject {
	for {
		s := subject{pick(g.rng, g.world.kinds...), form(g.rng.IntN(int(forms)))}
		if s.readable() {
			return s
		}
	}
}

// askRandomly asks a question. After that its subjects may have informers.
func (g *game) askRandomly(ctx context.Context) error {
	q := g.asker.question()
	err := g.compare(ctx, q)
	for _, s := range g.asker.touched {
		g.asked[s] = true
	}
	g.asker.touched = nil
	return err
}

// index adds an index. The index may exist already.
func (g *game) index(ctx context.Context) error {
	s := g.mine()
	if g.rng.IntN(12) == 0 {
		s = subject{pick(g.rng, ghost, networkPolicy), asType}
	} else {
		g.asked[s] = true
	}
	field := pick(g.rng, sortedNames(indexes)...)
	return g.compare(ctx, question{fmt.Sprintf("IndexField %s %q", s, field), func(ctx context.Context, c crcache.Cache) answer {
		return answer{err: c.IndexField(ctx, s.object(), field, indexes[field])}
	}})
}

// remove removes an informer. There may be none.
func (g *game) remove(ctx context.Context) error {
	s := g.asker.subject()
	delete(g.asked, s)
	delete(g.visible, s)
	delete(g.theirs.heard, s)
	delete(g.ours.heard, s)
	return g.compare(ctx, question{"RemoveInformer " + s.String(), func(ctx context.Context, c crcache.Cache) answer {
		return answer{err: c.RemoveInformer(ctx, s.object())}
	}})
}

// hurry asks with a context that has ended. It asks about subjects that have no informer yet,
// or have had one for long. It leaves out subjects that controller-runtime may have informers
// for in only some namespaces. An informer of controller-runtime's that is made for such a question may have synced before
// controller-runtime looks whether the context has ended, so its answer depends on the machine.
func (g *game) hurry(ctx context.Context) error {
	s := g.mine()
	if g.asked[s] {
		return nil
	}
	g.asked[s] = g.theirs.heard[s] == nil
	ended, cancel := context.WithCancel(ctx)
	cancel()
	at := key{Namespace: "a", Name: marker}
	q := pick(g.rng,
		question{"GetInformer", func(_ context.Context, c crcache.Cache) answer {
			i, err := c.GetInformer(ended, s.object())
			return informerFacts(i, err)
		}},
		question{"Get", func(_ context.Context, c crcache.Cache) answer {
			out := s.object()
			return answer{err: c.Get(ended, at, out), object: out}
		}},
		question{"List in a", func(_ context.Context, c crcache.Cache) answer {
			out := s.list()
			return answer{err: c.List(ended, out, client.InNamespace("a")), list: out}
		}},
	)
	q.text = fmt.Sprintf("%s %s with a context that has ended", q.text, s)
	theirs, ours := g.theirs.answer(ctx, q), g.ours.answer(ctx, q)
	quick := g.running && g.theirs.heard[s] == nil && theirs.err == nil
	if quick && ours.err != nil && strings.HasSuffix(ours.err.Error(), context.Canceled.Error()) {
		return nil
	}
	return g.complainOf(q, theirs, ours)
}

// startAgain starts the caches a second time. If they have not started, it asks whether they
// have synced.
func (g *game) startAgain(ctx context.Context) error {
	if g.running {
		return g.compare(ctx, question{"Start again", func(ctx context.Context, c crcache.Cache) answer {
			return answer{fact: fmt.Sprintf("refused: %v", c.Start(ctx) != nil)}
		}})
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	return g.compare(ctx, question{"WaitForCacheSync before Start", func(_ context.Context, c crcache.Cache) answer {
		return answer{fact: fmt.Sprint(c.WaitForCacheSync(ended))}
	}})
}

// afterwards asks for objects that existed when the caches ended.
func (g *game) afterwards(ctx context.Context) error {
	for _, s := range g.subjectsOf(keysOf(g.visible)) {
		for range 3 {
			q := pick(g.rng, g.asker.get, g.asker.list)(s)
			q.text += " after the end"
			if err := g.compare(ctx, q); err != nil {
				return err
			}
		}
	}
	return nil
}
