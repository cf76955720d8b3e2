package differential

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestOptionsThatMakeNoSense compares which options the constructors refuse.
func TestOptionsThatMakeNoSense(t *testing.T) {
	s := newBareServer(t)
	everywhere := map[string]crcache.Config{}
	by := func(settings crcache.ByObject, examples ...client.Object) crcache.Options {
		o := crcache.Options{ByObject: map[client.Object]crcache.ByObject{}}
		for _, example := range examples {
			o.ByObject[example] = settings
		}
		return o
	}
	for _, tt := range []struct {
		name string
		opts crcache.Options
		// stricter is the reason if only ours refuses the options.
		stricter string
	}{
		{"namespaces of a kind that has none", by(crcache.ByObject{Namespaces: map[string]crcache.Config{"a": {}}}, node.typed()), ""},
		{"all namespaces of a kind that has none", by(crcache.ByObject{Namespaces: everywhere}, node.typed()), ""},
		{"a kind that the server has not", by(crcache.ByObject{}, ghost.typed()), ""},
		{"a kind that the scheme has not", by(crcache.ByObject{}, networkPolicy.typed()), ""},
		{"no kind", by(crcache.ByObject{}, subject{&kind{}, asMap}.object()), ""},
		{"a kind twice", by(crcache.ByObject{}, pod.typed(), subject{pod, asMetadata}.object()),
			"theirs takes one of the two by chance"},
		{"a namespace that can't be", crcache.Options{DefaultNamespaces: map[string]crcache.Config{"a/b": {}}},
			"theirs never syncs"},
		{"a negative period", crcache.Options{SyncPeriod: new(-time.Second)},
			"nobody can mean it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.HTTPClient, tt.opts.Scheme = s.via, newScheme()
			_, theirs := theirs(s.config, tt.opts)
			_, ours := ours(s.config, tt.opts)
			switch {
			case ours == nil:
				t.Errorf("ours takes it; theirs: %v", theirs)
			case theirs == nil && tt.stricter == "":
				t.Errorf("theirs takes it; ours: %v", ours)
			case theirs != nil && tt.stricter != "":
				t.Errorf("theirs refuses it now, too: %v", theirs)
			case theirs != nil && class(theirs) != class(ours):
				t.Errorf("theirs is %s: %v\nours is %s: %v", class(theirs), theirs, class(ours), ours)
			}
		})
	}
}

// TestKindsThatDoNotSync compares the errors about kinds that the server refuses.
func TestKindsThatDoNotSync(t *testing.T) {
	s := newBareServer(t)
	nobody, err := s.plane.ConfigFor("nobody")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		config *rest.Config
		field  string
	}{
		{"a selector that the server does not know", s.config, "metadata.namespace=a"},
		{"no permission", nobody, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			via := controlplane.HTTPClientForTest(t, tt.config)
			group := lifecycle.New(t.Context())
			defer func() {
				group.Stop()
				_ = group.Wait() // their errors are not compared here
			}()
			for _, f := range []form{asType, asMap, asMetadata} {
				pair := refusedPair(t, tt.config, via, tt.field)
				for _, c := range pair {
					group.Guest("cache", func(ctx context.Context) { _ = c.Start(ctx) })
					awaitStarted(t, c, subject{node, f})
				}
				for _, q := range impatient(subject{node, f}) {
					theirs, ours := q.ask(t.Context(), pair[0]), q.ask(t.Context(), pair[1])
					if why := compareAnswers(theirs, ours); why != "" {
						t.Errorf("%s: %s\ntheirs: %v\nours:   %v", q.text, why, theirs, ours)
					}
				}
			}
		})
	}
}

// awaitStarted waits until a cache that another goroutine starts says that it has started. So
// both caches are in the same state when they are asked.
func awaitStarted(t *testing.T, c crcache.Cache, s subject) {
	t.Helper()
	await.Within(t, patience, "the cache to start", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		var notStarted *crcache.ErrCacheNotStarted
		if err := c.Get(ctx, key{Name: marker}, s.object()); errors.As(err, &notStarted) {
			return err
		}
		return nil
	})
}

func refusedPair(t *testing.T, config *rest.Config, via *http.Client, field string) (pair [2]crcache.Cache) {
	t.Helper()
	for i, make := range []constructor{theirs, ours} {
		opts := crcache.Options{HTTPClient: via, Scheme: newScheme()}
		if field != "" {
			opts.ByObject = map[client.Object]crcache.ByObject{node.typed(): {Field: fields.ParseSelectorOrDie(field)}}
		}
		var err error
		if pair[i], err = make(config, opts); err != nil {
			t.Fatal(err)
		}
	}
	return pair
}

// impatient are questions with a short timeout.
func impatient(s subject) []question {
	hurried := func(ask func(context.Context, crcache.Cache) answer) func(context.Context, crcache.Cache) answer {
		return func(ctx context.Context, c crcache.Cache) answer {
			ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			defer cancel()
			return ask(ctx, c)
		}
	}
	return []question{
		{"GetInformer without waiting", hurried(func(ctx context.Context, c crcache.Cache) answer {
			i, err := c.GetInformer(ctx, s.object(), crcache.BlockUntilSynced(false))
			return informerFacts(i, err)
		})},
		{"Get", hurried(func(ctx context.Context, c crcache.Cache) answer {
			out := s.object()
			return answer{err: c.Get(ctx, key{Name: marker}, out), object: out}
		})},
		{"List", hurried(func(ctx context.Context, c crcache.Cache) answer {
			out := s.list()
			return answer{err: c.List(ctx, out), list: out}
		})},
		{"GetInformer", hurried(func(ctx context.Context, c crcache.Cache) answer {
			return informerFacts(c.GetInformer(ctx, s.object()))
		})},
		{"WaitForCacheSync", hurried(func(ctx context.Context, c crcache.Cache) answer {
			return answer{fact: fmt.Sprint(c.WaitForCacheSync(ctx))}
		})},
		{"RemoveInformer", hurried(func(ctx context.Context, c crcache.Cache) answer {
			return answer{err: c.RemoveInformer(ctx, s.object())}
		})},
		{"WaitForCacheSync of nothing", hurried(func(ctx context.Context, c crcache.Cache) answer {
			return answer{fact: fmt.Sprint(c.WaitForCacheSync(ctx))}
		})},
	}
}
