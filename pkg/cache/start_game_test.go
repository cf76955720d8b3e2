package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// TestOneKindHoldsUpNobody plays caches that start and stop while everybody asks for
// everything, and the server has trouble with Secrets: it refuses them, breaks, does not
// answer, or does not know them. A caller is let go when its context ends, ConfigMaps
// can be read, the start of the cache does not wait, and it stops at once.
func TestOneKindHoldsUpNobody(t *testing.T) {
	seeds.Run(t, 300, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) { newStartGame(t, rng).play(t) })
	})
}

// startGame is a cache over a server that has trouble with Secrets.
type startGame struct {
	cache   *Cache
	limited bool   // to some namespaces
	always  answer // to requests for Secrets; nil draws one each time
	mapper  *troubledMapper
	asking  sync.WaitGroup

	mu  sync.Mutex // guards rng: the server draws, too
	rng *rand.Rand
}

func newStartGame(t *testing.T, rng *rand.Rand) *startGame {
	t.Helper()
	g := &startGame{rng: rng, limited: rng.IntN(2) == 0}
	if rng.IntN(2) == 0 {
		never := []answer{silence, refusal(http.StatusForbidden), refusal(http.StatusInternalServerError)}
		g.always = never[rng.IntN(len(never))]
	}
	g.mapper = &troubledMapper{RESTMapper: fakeMapper(), game: g, healed: make(chan struct{})}
	opts := crcache.Options{Mapper: g.mapper}
	server := answers{"configmaps": pages(2, time.Duration(rng.IntN(500))*time.Millisecond, emptyList), "secrets": g.troubled}
	if g.limited {
		opts.DefaultNamespaces = limitedTo("red", "blue").DefaultNamespaces
	}
	ours := Options{ByObject: map[client.Object]KindOptions{&corev1.Secret{}: {Missing: Missing(1 + rng.IntN(2))}}}
	g.cache = cacheOver(t, server, opts, ours)
	return g
}

// draw returns a number below n.
func (g *startGame) draw(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rng.IntN(n)
}

// soon is some time until longest.
func (g *startGame) soon(longest time.Duration) time.Duration {
	return time.Duration(g.draw(int(longest/time.Millisecond))) * time.Millisecond
}

// troubled answers requests for Secrets.
func (g *startGame) troubled(r *http.Request) (*http.Response, error) {
	if g.always != nil {
		return g.always(r)
	}
	all := []answer{
		emptyList, silence, refusal(http.StatusForbidden), refusal(http.StatusNotFound), refusal(http.StatusInternalServerError),
		pages(3, g.soon(2*patience), emptyList), pages(2, time.Second, silence), stream(2, time.Second, true), stream(2, time.Second, false),
	}
	return all[g.draw(len(all))](r)
}

// troubledMapper does not know what to say of Secrets, until it is healed.
type troubledMapper struct {
	meta.RESTMapper
	game   *startGame
	healed chan struct{}
}

// RESTMapping may take its time, or all time.
func (m *troubledMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	select {
	case <-m.healed:
		return m.RESTMapper.RESTMapping(kind, versions...)
	case <-time.After(m.game.soon(time.Second)):
	}
	if kind.Kind == "Secret" {
		switch m.game.draw(4) {
		case 0:
			<-m.healed
		case 1:
			return nil, &meta.NoKindMatchError{GroupKind: kind, SearchedVersions: versions}
		case 2:
			return nil, errors.New("the server is broken")
		}
	}
	return m.RESTMapper.RESTMapping(kind, versions...)
}

func (g *startGame) play(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	started, ended := g.soon(5*time.Second), make(chan error, 1)
	g.asking.Go(func() {
		time.Sleep(started)
		ended <- g.cache.Start(ctx)
	})
	g.asking.Go(func() {
		begun := time.Now()
		if ok := g.cache.WaitForCacheSync(ctx); !ok && ctx.Err() == nil {
			t.Error("the start of the cache says that it failed")
		}
		if took := time.Since(begun); took > started+2*time.Minute {
			t.Errorf("the start of the cache waits for %v", took)
		}
	})
	for range 5 + g.draw(20) {
		g.asking.Go(func() {
			time.Sleep(g.soon(20 * time.Second))
			g.ask(ctx, t)
		})
	}
	time.Sleep(started + g.soon(5*time.Minute))
	stopped := time.Now()
	stop()
	if err := <-ended; err != nil || time.Since(stopped) != 0 {
		t.Errorf("Start returned %v, %v after it was told to", err, time.Since(stopped))
	}
	g.asking.Wait()
	close(g.mapper.healed)
}

// ask asks for something, for a while, and checks that it does not take longer.
func (g *startGame) ask(life context.Context, t *testing.T) {
	t.Helper()
	patience := time.Second + g.soon(20*time.Second)
	ctx, cancel := context.WithTimeout(life, patience)
	defer cancel()
	kinds := []client.Object{&corev1.ConfigMap{}, &corev1.Secret{}, mapOf(configMapGVK), mapOf(corev1.SchemeGroupVersion.WithKind("Secret"))}
	n, kind := g.draw(len(asks)), g.draw(len(kinds))
	begun := time.Now()
	err := asks[n].do(ctx, g, kinds[kind])
	if took := time.Since(begun); took > patience {
		t.Errorf("%s of %T takes %v, and its context ended after %v", asks[n].name, kinds[kind], took, patience)
	}
	var early *crcache.ErrCacheNotStarted
	if asks[n].name == "Get" && kind%2 == 0 && client.IgnoreNotFound(err) != nil && ctx.Err() == nil && !errors.As(err, &early) {
		t.Errorf("%s of %T returns %v", asks[n].name, kinds[kind], err)
	}
}

// asks are what anybody may ask of a cache. Their errors say that it is too early, too
// late, or that there is trouble.
var asks = []struct {
	name string
	do   func(context.Context, *startGame, client.Object) error
}{
	{"GetInformer", func(ctx context.Context, g *startGame, obj client.Object) error {
		_, err := g.cache.GetInformer(ctx, obj)
		return err
	}},
	{"AddEventHandler", func(ctx context.Context, g *startGame, obj client.Object) error {
		i, err := g.cache.GetInformer(ctx, obj, crcache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		handle, err := i.AddEventHandler(crtools.ResourceEventHandlerFuncs{})
		if err != nil {
			return err
		}
		return i.RemoveEventHandler(handle)
	}},
	{"Get", func(ctx context.Context, g *startGame, obj client.Object) error {
		return g.cache.Get(ctx, client.ObjectKey{Namespace: "red", Name: "a"}, obj)
	}},
	{"List", func(ctx context.Context, g *startGame, _ client.Object) error {
		kind := corev1.SchemeGroupVersion.WithKind([]string{"ConfigMapList", "SecretList"}[g.draw(2)])
		return g.cache.List(ctx, kinded(kind, &unstructured.UnstructuredList{}))
	}},
	{"IndexField", func(ctx context.Context, g *startGame, obj client.Object) error {
		name := fmt.Sprint("field", g.draw(1_000_000))
		return g.cache.IndexField(ctx, obj, name, func(client.Object) []string { return nil })
	}},
	{"RemoveInformer", func(ctx context.Context, g *startGame, obj client.Object) error {
		if obj.GetObjectKind().GroupVersionKind().Kind != "Secret" {
			return nil // or reads of it would fail now and then
		}
		return g.cache.RemoveInformer(ctx, obj)
	}},
	{"AddNamespace", func(ctx context.Context, g *startGame, _ client.Object) error {
		return g.cache.AddNamespace(ctx, fmt.Sprint("green", g.draw(3)), crcache.Config{})
	}},
	{"RemoveNamespace", func(ctx context.Context, g *startGame, _ client.Object) error {
		return g.cache.RemoveNamespace(ctx, []string{"blue", "green0", "green1"}[g.draw(3)], informer.Silently)
	}},
	{"WaitForCacheSync", func(ctx context.Context, g *startGame, _ client.Object) error {
		if !g.cache.WaitForCacheSync(ctx) {
			return ctx.Err()
		}
		return nil
	}},
	{"Relist", func(ctx context.Context, g *startGame, obj client.Object) error { return g.cache.Relist(ctx, obj) }},
	{"Resync", func(ctx context.Context, g *startGame, obj client.Object) error { return g.cache.Resync(ctx, obj, nil) }},
	{"SetResync", func(_ context.Context, g *startGame, obj client.Object) error {
		return g.cache.SetResync(obj, resync.Policy{Period: time.Minute})
	}},
	{"Healthz", func(_ context.Context, g *startGame, _ client.Object) error { return g.cache.Healthz(nil) }},
}
