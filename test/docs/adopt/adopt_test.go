package adopt

import (
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

// level is a set of steps that are taken together, and what should run after them.
type level struct {
	name  string
	steps []step

	cache, client, informer, queue string // packages
	sources                        bool   // packages of ours
	because                        bool   // whether reconcilers are told what changed
}

const (
	theirCache    = "sigs.k8s.io/controller-runtime/pkg/cache"
	theirClient   = "sigs.k8s.io/controller-runtime/pkg/client"
	theirInformer = "k8s.io/client-go/tools/cache"
	theirQueue    = "sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	module      = "github.com/delta-runtime/delta-runtime"
	ourCache    = module + "/pkg/cache"
	ourClient   = module + "/pkg/manager"
	ourInformer = module + "/internal/engine/peer" // which pkg/toolscache and pkg/cache show as client-go's
	ourQueue    = module + "/pkg/queue/ctrlqueue"
	ourSources  = module + "/pkg/source"
	recording   = module + "/internal/ledger/recording" // the package of the queue that our builder wraps around the controller's
)

var levels = []level{
	{
		name:  "as scaffolded",
		cache: theirCache, client: theirClient, informer: theirInformer, queue: theirQueue,
	},
	{
		name:  "the informers",
		steps: []step{{guide, "Only the informers", ""}},
		cache: theirCache, client: theirClient, informer: ourInformer, queue: theirQueue,
	},
	{
		name:  "as the README has it",
		steps: []step{{readme, "How to adopt it", ""}, {guide, "The cache", suite}},
		cache: ourCache, client: ourClient, informer: ourInformer, queue: recording, sources: true,
	},
	{
		name:  "the cache by one field, and the queue",
		steps: []step{{guide, "The cache by one field", ""}, {guide, "The cache", suite}, {guide, "The queue", ""}},
		cache: ourCache, client: theirClient, informer: ourInformer, queue: ourQueue,
	},
	{
		name:  "the cache, configured, and sources of deltas",
		steps: []step{{guide, "The cache", ""}, {guide, "Sources of deltas", ""}},
		cache: ourCache, client: ourClient, informer: ourInformer, queue: theirQueue, sources: true,
	},
	{
		name:  "the queue",
		steps: []step{{guide, "The queue", ""}},
		cache: theirCache, client: theirClient, informer: theirInformer, queue: ourQueue,
	},
	{
		name:  "the sources",
		steps: []step{{guide, "Sources", ""}},
		cache: theirCache, client: theirClient, informer: theirInformer, queue: theirQueue, sources: true,
	},
	{
		name:  "the builder",
		steps: []step{{guide, "The builder", ""}},
		cache: theirCache, client: theirClient, informer: theirInformer, queue: recording, sources: true, because: true,
	},
}

func TestLevels(t *testing.T) {
	plane := startPlane(t, scaffolded)
	for _, l := range levels {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			p := scaffold(t)
			p.takeUp(l)
			p.check()
			p.withProbe(func(probe probe) {
				l.compare(t, probe.suite())
				if l.changesMain(t) {
					told, log := probe.program(plane)
					l.compareProgram(t, told, log)
				}
			})
			p.leave(l)
			p.compare(scaffolded)
		})
	}
}

// changesMain reports whether the level changes the program itself.
func (l *level) changesMain(t *testing.T) bool {
	t.Helper()
	changed := func(c change) bool { return c.file == "cmd/main.go" }
	return l.steps == nil || slices.ContainsFunc(l.changes(t), changed)
}

// compareProgram checks what the probe found in the program, and the program's log.
func (l *level) compareProgram(t *testing.T, told map[string][]string, log string) {
	t.Helper()
	l.compare(t, told)
	if got := told["client"]; !slices.Equal(got, []string{l.client}) {
		t.Errorf("the program's client is from %q, want %s", got, l.client)
	}
	if because := strings.Contains(log, `"because": {"changes": [{"cause":`); because != l.because {
		t.Errorf("the program logs why it reconciles: %t, want %t:\n%s", because, l.because, log)
	}
}

// compare checks what a probe found.
func (l *level) compare(t *testing.T, told map[string][]string) {
	t.Helper()
	for what, want := range map[string]string{"cache": l.cache, "informer": l.informer, "queue": l.queue} {
		if got := told[what]; !slices.Equal(got, []string{want}) {
			t.Errorf("the %s is from %q, want %s", what, got, want)
		}
	}
	if got := slices.Contains(told["runs"], ourSources); got != l.sources {
		t.Errorf("our sources run: %t, want %t, among %q", got, l.sources, told["runs"])
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) { realtime.Main(m) }
