package differential

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// constructor makes a cache.
type constructor func(*rest.Config, crcache.Options) (crcache.Cache, error)

// side is one of the two caches, and its handlers.
type side struct {
	name  string
	cache crcache.Cache
	gate  *gate
	heard map[subject]*hearing
}

// hearing is a recorder and its registration.
type hearing struct {
	*recorder
	registration cache.ResourceEventHandlerRegistration
}

// game has everything that belongs to one seed.
type game struct {
	rng     *rand.Rand
	world   *world
	asker   *asker
	theirs  *side
	ours    *side
	options string
	asked   map[subject]bool  // true: may have an informer, and has no recorder
	visible map[subject][]key // the markers that a recorder is told of
	indexed map[string]bool
	running bool

	most       int // so many differences end the game
	complaints []string
}

// errEnough ends a game that has found enough.
var errEnough = errors.New("enough differences")

// play plays the game of a seed, and returns how the caches differ. So many differences end it. An
// error means that the game could not be played.
func play(ctx context.Context, seed uint64, s *server, most int) (g *game, err error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	among := drawKinds(rng)
	g = &game{
		rng: rng, world: newWorld(s, rng, among), asker: &asker{rng: rng, kinds: among}, most: most,
		asked: map[subject]bool{}, visible: map[subject][]key{}, indexed: map[string]bool{},
	}
	g.asker.there = func(s subject) bool { return g.theirs.heard[s] != nil }
	opts, said := drawOptions(seed, nil, among)
	g.options, g.asker.disconnected = said, disconnected(opts)
	for _, who := range []struct {
		is   **side
		name string
		make constructor
	}{{&g.theirs, "theirs", theirs}, {&g.ours, "ours", ours}} {
		gate := newGate(s.via.Transport)
		opts, _ := drawOptions(seed, gate.client(), among)
		if *who.is, err = newSide(who.name, gate, func() (crcache.Cache, error) { return who.make(s.config, opts) }); err != nil {
			return g, err
		}
	}
	defer func() { err = errors.Join(err, g.world.clear(context.WithoutCancel(ctx))) }()
	if err := g.world.populate(ctx); err != nil {
		return g, err
	}
	if err := g.run(ctx); err != nil && !errors.Is(err, errEnough) {
		return g, err
	}
	return g, nil
}

// disconnected returns the kinds that lose the options of a Get. With several namespaces
// controller-runtime does not pass the options on to its cache for kinds without a namespace.
// Ours uses them.
func disconnected(opts crcache.Options) func(*kind) bool {
	return func(k *kind) bool {
		if k.namespaced || len(opts.DefaultNamespaces) == 0 {
			return false
		}
		for example := range opts.ByObject {
			if gvk, err := apiutil.GVKForObject(example, opts.Scheme); err == nil && gvk == k.gvk {
				return false
			}
		}
		return true
	}
}

func drawKinds(rng *rand.Rand) []*kind {
	among := slices.Clone(kinds)
	rng.Shuffle(len(among), func(i, j int) { among[i], among[j] = among[j], among[i] })
	return among[:3]
}

func newSide(name string, g *gate, make func() (crcache.Cache, error)) (*side, error) {
	c, err := make()
	if err != nil {
		return nil, fmt.Errorf("make the cache (%s): %w", name, err)
	}
	return &side{name: name, gate: g, cache: c, heard: map[subject]*hearing{}}, nil
}

// run plays the game up to the end of the caches.
func (g *game) run(ctx context.Context) error {
	if err := g.steps(ctx, 12); err != nil {
		return err
	}
	group := lifecycle.New(ctx)
	defer group.Stop()
	for _, s := range []*side{g.theirs, g.ours} {
		group.Go(s.name, s.cache.Start)
	}
	err := g.compare(ctx, question{"WaitForCacheSync", func(ctx context.Context, c crcache.Cache) answer {
		return answer{fact: fmt.Sprint(c.WaitForCacheSync(ctx))}
	}})
	g.running = true
	for round := 0; round < 3 && err == nil; round++ {
		err = g.round(ctx)
	}
	group.Stop()
	if ended := group.Wait(); err == nil && ended != nil {
		err = fmt.Errorf("run the caches: %w", ended)
	}
	if err != nil {
		return err
	}
	if why := compareWatches(g.theirs.gate.watches(), g.ours.gate.watches()); why != "" {
		if err := g.complain("%s", why); err != nil {
			return err
		}
	}
	return g.afterwards(ctx)
}

// round adds recorders to all informers, writes, waits for a beat, compares the events, and
// asks questions.
func (g *game) round(ctx context.Context) error {
	if err := g.listen(ctx); err != nil {
		return err
	}
	if err := g.compareEvents(); err != nil {
		return err
	}
	for range 15 {
		if err := g.world.write(ctx); err != nil {
			return err
		}
	}
	beat, err := g.world.beat(ctx)
	if err != nil {
		return err
	}
	if err := g.await(ctx, beat); err != nil {
		return err
	}
	if err := g.compareEvents(); err != nil {
		return err
	}
	return g.steps(ctx, 40)
}

// await waits until every recorder has the beat.
func (g *game) await(ctx context.Context, beat int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for s, markers := range g.visible {
		if err := g.theirs.heard[s].await(ctx, markers, beat); err != nil {
			return fmt.Errorf("theirs, %s: %w", s, err)
		}
		if err := g.ours.heard[s].await(ctx, markers, beat); err != nil {
			return g.complain("the events of %s: theirs has shown beat %d, ours: %v", s, beat, err)
		}
	}
	return nil
}

// listen adds a recorder wherever there may be an informer. It waits until the new recorders
// have been told of all objects.
func (g *game) listen(ctx context.Context) error {
	// Add all of them first, so that they sync at the same time.
	for _, s := range g.subjectsOf(g.asked) {
		if err := g.compare(ctx, question{"GetInformer without waiting " + s.String(), func(ctx context.Context, c crcache.Cache) answer {
			i, err := c.GetInformer(ctx, s.object(), crcache.BlockUntilSynced(false))
			return answer{err: err, fact: fmt.Sprintf("informer is nil: %v", i == nil)}
		}}); err != nil {
			return err
		}
	}
	for _, s := range g.subjectsOf(g.asked) {
		delete(g.asked, s)
		if err := g.attach(ctx, s); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for s, theirs := range g.theirs.heard {
		if _, known := g.visible[s]; known {
			continue
		}
		for _, h := range []*hearing{theirs, g.ours.heard[s]} {
			select {
			case <-h.registration.HasSyncedChecker().Done():
			case <-ctx.Done():
				return g.complain("the handlers of %s have not synced: theirs %v, ours %v", s,
					theirs.registration.HasSynced(), g.ours.heard[s].registration.HasSynced())
			}
		}
		g.visible[s] = theirs.markers()
	}
	return nil
}

// attach adds a recorder to both informers of a subject.
func (g *game) attach(ctx context.Context, s subject) error {
	if g.theirs.heard[s] != nil || !s.readable() {
		return nil
	}
	var failed error
	err := g.compare(ctx, question{"GetInformer and AddEventHandler " + s.String(), func(ctx context.Context, c crcache.Cache) answer {
		who := g.theirs
		if c == g.ours.cache {
			who = g.ours
		}
		i, err := c.GetInformer(ctx, s.object())
		if err != nil {
			failed = errors.Join(failed, err)
			return answer{err: err}
		}
		h := &hearing{recorder: newRecorder()}
		h.registration, err = i.AddEventHandler(h)
		failed = errors.Join(failed, err)
		who.heard[s] = h
		return answer{err: err}
	}})
	if failed != nil {
		delete(g.theirs.heard, s)
		delete(g.ours.heard, s)
	}
	return errors.Join(err, failed)
}

func (g *game) subjectsOf(set map[subject]bool) []subject {
	return slices.SortedFunc(maps.Keys(set), func(a, b subject) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
}

// compareEvents compares what each pair of handlers was told.
func (g *game) compareEvents() error {
	for _, s := range g.subjectsOf(keysOf(g.visible)) {
		theirs, theirOdd := g.theirs.heard[s].told()
		ours, ourOdd := g.ours.heard[s].told()
		if len(theirOdd)+len(ourOdd) > 0 {
			if err := g.complain("handlers of %s were told things that no handler should be told: theirs %q, ours %q", s, theirOdd, ourOdd); err != nil {
				return err
			}
		}
		both := maps.Clone(theirs)
		maps.Copy(both, ours)
		for _, at := range sortedKeys(both) {
			if reflect.DeepEqual(theirs[at], ours[at]) {
				continue
			}
			if err := g.complain("the events of %s %s differ\ntheirs: %v\nours:   %v\n%s", s, at, theirs[at], ours[at],
				eventDifference(theirs[at], ours[at])); err != nil {
				return err
			}
		}
	}
	return nil
}

// eventDifference shows the first events with different objects.
func eventDifference(theirs, ours []event) string {
	for i := range min(len(theirs), len(ours)) {
		if !reflect.DeepEqual(theirs[i].object, ours[i].object) {
			return fmt.Sprintf("objects of event %d: %s", i, difference(theirs[i].object, ours[i].object))
		}
		if !reflect.DeepEqual(theirs[i].old, ours[i].old) {
			return fmt.Sprintf("old objects of event %d: %s", i, difference(theirs[i].old, ours[i].old))
		}
	}
	return ""
}

func keysOf[T any](of map[subject]T) map[subject]bool {
	set := map[subject]bool{}
	for s := range of {
		set[s] = true
	}
	return set
}

func (s *side) answer(ctx context.Context, q question) answer {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return q.ask(ctx, s.cache)
}

// compare asks both caches, and notes where their answers differ.
func (g *game) compare(ctx context.Context, q question) error {
	return g.complainOf(q, g.theirs.answer(ctx, q), g.ours.answer(ctx, q))
}

// complainOf notes it if two answers differ.
func (g *game) complainOf(q question, theirs, ours answer) error {
	if why := compareAnswers(theirs, ours); why != "" {
		return g.complain("%s: %s\ntheirs: %v\nours:   %v", q.text, why, theirs, ours)
	}
	return nil
}

func (g *game) complain(format string, args ...any) error {
	g.complaints = append(g.complaints, fmt.Sprintf(format, args...))
	if len(g.complaints) >= g.most {
		return errEnough
	}
	return nil
}
