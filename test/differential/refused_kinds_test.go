//go:build slow

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

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// briefly is how long a question waits for a kind that never syncs. Before, everything has to happen that
// takes no waiting.
const briefly = time.Second

// TestKindsThatDoNotSync compares the errors about kinds that the server refuses.
func TestKindsThatDoNotSync(t *testing.T) {
	s := newBareServer(t)
	nobody := s.plane.Config()
	nobody.Impersonate.UserName = "nobody" // RBAC grants nothing to this user
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
					theirs, ours := askBoth(t.Context(), q, pair)
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
		ctx, cancel := context.WithTimeout(t.Context(), briefly)
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

// askBoth asks both caches at the same time, because they wait.
func askBoth(ctx context.Context, q question, pair [2]crcache.Cache) (theirs, ours answer) {
	there := make(chan answer)
	go func() { there <- q.ask(ctx, pair[0]) }()
	ours = q.ask(ctx, pair[1])
	return <-there, ours
}

// impatient are questions with a timeout. It is short for those that wait for what never comes.
func impatient(s subject) []question {
	within := func(limit time.Duration, ask func(context.Context, crcache.Cache) answer) func(context.Context, crcache.Cache) answer {
		return func(ctx context.Context, c crcache.Cache) answer {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			return ask(ctx, c)
		}
	}
	return []question{
		{"GetInformer without waiting", within(patience, func(ctx context.Context, c crcache.Cache) answer {
			i, err := c.GetInformer(ctx, s.object(), crcache.BlockUntilSynced(false))
			return informerFacts(i, err)
		})},
		{"Get", within(briefly, func(ctx context.Context, c crcache.Cache) answer {
			out := s.object()
			return answer{err: c.Get(ctx, key{Name: marker}, out), object: out}
		})},
		{"List", within(briefly, func(ctx context.Context, c crcache.Cache) answer {
			out := s.list()
			return answer{err: c.List(ctx, out), list: out}
		})},
		{"GetInformer", within(briefly, func(ctx context.Context, c crcache.Cache) answer {
			return informerFacts(c.GetInformer(ctx, s.object()))
		})},
		{"WaitForCacheSync", within(briefly, func(ctx context.Context, c crcache.Cache) answer {
			return answer{fact: fmt.Sprint(c.WaitForCacheSync(ctx))}
		})},
		{"RemoveInformer", within(patience, func(ctx context.Context, c crcache.Cache) answer {
			return answer{err: c.RemoveInformer(ctx, s.object())}
		})},
		{"WaitForCacheSync of nothing", within(patience, func(ctx context.Context, c crcache.Cache) answer {
			return answer{fact: fmt.Sprint(c.WaitForCacheSync(ctx))}
		})},
	}
}
