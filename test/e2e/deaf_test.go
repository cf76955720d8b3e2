package e2e

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
)

// journal keeps the lines of a log.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) write(_, line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

// of counts the lines that have all these texts.
func (j *journal) of(texts ...string) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
next:
	for _, line := range j.lines {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue next
			}
		}
		n++
	}
	return n
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, "\n")
}

// kinds are those that followed follows.
var kinds = map[string]client.Object{"v1 ConfigMap": &corev1.ConfigMap{}, "v1 Secret": &corev1.Secret{}, "v1 Namespace": &corev1.Namespace{}}

// followed returns a cache that runs until the test ends, and follows the kinds.
func followed(t *testing.T, plane *controlplane.Plane, ours cache.Options) *cache.Cache {
	t.Helper()
	c, err := cache.NewWithOptions(plane.Config(), crcache.Options{}, ours)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the cache ended with: %v", err)
		}
	})
	for name, obj := range kinds {
		if _, err := c.GetInformer(ctx, obj); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	await.Until(t, "all kinds to follow the server", func() bool {
		for _, s := range c.Status() {
			if s.Informer.Reflector.State != "Following" {
				return false
			}
		}
		return true
	})
	return c
}

// TestAServerThatIsGoneIsNamed kills the API server under a cache. The log says so once for each
// kind, the readiness check fails when its bound has passed and says why, and all of it heals.
func TestAServerThatIsGoneIsNamed(t *testing.T) {
	const bound = 10 * time.Second
	plane := controlplane.ForTest(t, controlplane.Options{})
	var log journal
	c := followed(t, plane, cache.Options{StaleAfter: bound, Log: funcr.New(log.write, funcr.Options{})})

	killed := time.Now()
	plane.KillAPIServer()
	await.Until(t, "the readiness check to fail", func() bool { return c.Healthz(nil) != nil })
	if after := time.Since(killed); after < bound || after > bound+5*time.Second {
		t.Errorf("the readiness check fails %v after the server was killed, and the bound is %v", after, bound)
	}
	await.Until(t, "the readiness check to name all kinds", func() bool {
		text := c.Healthz(nil).Error()
		for name := range kinds {
			if !strings.Contains(text, name+" shows the state of version ") {
				return false
			}
		}
		return strings.Count(text, "(deaf since ") == len(kinds)
	})
	time.Sleep(bound) // for more attempts, which are not worth a line each
	for name := range kinds {
		if n := log.of("kind is deaf", name, "shows", "nextTry", "connection refused"); n != 1 {
			t.Errorf("the log says %d times that %s is deaf, want once:\n%s", n, name, log.text())
		}
	}

	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the readiness check to pass", func() bool { return c.Healthz(nil) == nil })
	for name := range kinds {
		await.Until(t, "the log to say that "+name+" hears the server", func() bool { return log.of("hears the server again", name) == 1 })
	}
}

// TestAServerThatIsFrozenIsNamed stops the API server, which then takes connections and says nothing.
func TestAServerThatIsFrozenIsNamed(t *testing.T) {
	const bound = 20 * time.Second
	plane := controlplane.ForTest(t, controlplane.Options{})
	var log journal
	c := followed(t, plane, cache.Options{StaleAfter: bound, Log: funcr.New(log.write, funcr.Options{})})
	frozen := time.Now()
	if err := plane.FreezeAPIServer(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the readiness check to fail", func() bool { return c.Healthz(nil) != nil })
	after := time.Since(frozen)
	t.Logf("the readiness check fails %v after the server froze: %v", after, c.Healthz(nil))
	if after > bound+10*time.Second {
		t.Errorf("the readiness check fails %v after the server froze, and the bound is %v and five seconds", after, bound)
	}
	if err := plane.ThawAPIServer(); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the readiness check to pass", func() bool { return c.Healthz(nil) == nil })
}
