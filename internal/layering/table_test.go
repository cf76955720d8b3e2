package layering

import "slices"

// The table. It is what ARCHITECTURE.md promises a reader: change both together. It
// has nothing in it that nobody uses, so that it says how things are.
var table = map[string]rule{
	"internal/lock":      {},
	"internal/lifecycle": {ours: in("internal/lock")},
	"internal/objects":   {ours: in("internal/dedup", "internal/path", "internal/store", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/listwatch": {ours: in("pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/timetable": {ours: in("pkg/delta", "pkg/resync"), theirs: in("k8s.io/apimachinery/pkg/labels")},
	"internal/reflector": {
		ours:   in("internal/listwatch", "internal/lock", "pkg/delta", "pkg/informer"),
		theirs: in("k8s.io/apimachinery", "github.com/go-logr/logr"),
	},
	"internal/engine": {
		ours: in("internal/lifecycle", "internal/listwatch", "internal/lock", "internal/mutation", "internal/reflector",
			"internal/store", "internal/timetable", "pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: in("k8s.io/apimachinery", "github.com/go-logr/logr"),
	},
	"internal/observe": {
		ours:   in("internal/engine", "internal/hotloop", "internal/journal", "internal/lock", "internal/reflector", "pkg/delta", "pkg/informer", "pkg/queue", "pkg/resync"),
		theirs: in("k8s.io/apimachinery", "sigs.k8s.io/controller-runtime/pkg/client"),
	},
	"internal/managed": {ours: in("internal/journal", "internal/lock", "internal/observe", "pkg/delta", "pkg/diff")},
	"internal/metrics": {
		ours:   in("internal/lock", "internal/managed", "internal/observe", "internal/reflector", "pkg/informer"),
		theirs: slices.Concat(metrics, in("k8s.io/apimachinery", "github.com/go-logr/logr", "sigs.k8s.io/controller-runtime/pkg/metrics")),
	},
	"internal/answers": {
		ours: in("internal/footprint", "internal/hotloop", "internal/inspector", "internal/journal", "internal/managed", "internal/observe", "internal/path",
			"pkg/delta", "pkg/diff", "pkg/informer", "pkg/inspect/v1", "pkg/queue", "pkg/resync"),
		theirs: in("k8s.io/apimachinery"),
	},
	"internal/peer": {
		ours:   in("internal/engine", "internal/lifecycle", "internal/lock", "internal/reflector", "internal/store", "pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: edge, except: in("sigs.k8s.io/controller-runtime"),
	},
	"internal/mutation":             {ours: in("internal/dedup", "internal/lock", "pkg/delta"), theirs: in("k8s.io/apimachinery/pkg/api/resource")},
	"internal/footprint":            {ours: in("internal/dedup")},
	"internal/hotloop":              {ours: in("internal/ledger", "internal/lock", "internal/path", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/journal":              {ours: in("internal/footprint", "internal/ledger", "internal/lock", "internal/path", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/layering":             {},
	"internal/testing/controlplane": {ours: in("internal/lifecycle"), theirs: edge},
	"internal/testing/stress":       {ours: in("internal/testing/await"), theirs: in("go.uber.org/goleak")},
	"internal/testing/realtime":     {theirs: in("go.uber.org/goleak")},
	"internal/testing/seeds":        {},
	"internal/testing/promise":      {},
	"internal/dedup":                {theirs: in("k8s.io/api", "k8s.io/apimachinery")},
	"internal/decode":               {ours: in("internal/dedup"), theirs: in("k8s.io/api", "k8s.io/apimachinery")},
	"internal/savefile":             {ours: in("internal/lock"), theirs: in("github.com/klauspost/compress/zstd")},
	"internal/memory": {
		ours:   in("internal/lifecycle", "internal/lock", "internal/savefile", "pkg/delta"),
		theirs: in("github.com/go-logr/logr", "k8s.io/apimachinery", "k8s.io/client-go"),
	},
	"internal/wire": {
		ours:   in("internal/decode", "internal/dedup", "internal/listwatch", "pkg/delta"),
		theirs: in("k8s.io/apimachinery", "k8s.io/client-go/rest", "k8s.io/client-go/tools/metrics"),
	},
	"internal/recording": {ours: in("internal/ledger", "internal/lock", "pkg/delta"), theirs: edge, except: aboveUs},
	"internal/openapi":   {ours: in("internal/path"), theirs: in("k8s.io/apimachinery/pkg/runtime/schema", "sigs.k8s.io/structured-merge-diff")},
	"internal/schemas": {
		ours:   in("internal/lock", "internal/openapi", "pkg/diff"),
		theirs: slices.Concat(in("sigs.k8s.io/structured-merge-diff"), edge), except: aboveUs,
	},
	"internal/testing/manifests": {theirs: in("k8s.io/apimachinery", "k8s.io/client-go/util/cert")},
	"internal/testing/docblocks": {},
	"internal/testing/relay":     {},
	"internal/testing/sources":   {},
	"internal/testing/fulltypes": {theirs: slices.Concat(in("sigs.k8s.io/structured-merge-diff"), edge)},
	"internal/testing/samples":   {theirs: slices.Concat(in("sigs.k8s.io/structured-merge-diff"), edge)},
	"internal/testing/scrape":    {theirs: slices.Concat(metrics, in("github.com/prometheus/client_model"))},
	"internal/testing/secrets":   {ours: in("internal/path", "internal/testing/samples"), theirs: in("k8s.io/api", "k8s.io/apimachinery")},
	"internal/testing/await":     {},
	"internal/testing/apifake":   {theirs: in("k8s.io/apimachinery")},
	"internal/testing/benchkit":  {theirs: edge},
	"internal/testing/faulty":    {ours: in("internal/listwatch", "internal/testing/apifake", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/testing/informers": {
		ours:   in("internal/engine", "internal/listwatch", "internal/objects", "internal/peer", "internal/reflector", "pkg/informer"),
		theirs: edge,
	},

	"internal/ledger":   {},
	"internal/path":     {ours: in("internal/dedup"), theirs: in("k8s.io/apimachinery", "sigs.k8s.io/structured-merge-diff")},
	"pkg/diff":          {ours: in("internal/path"), theirs: in("k8s.io/apimachinery", "sigs.k8s.io/structured-merge-diff")},
	"pkg/delta":         {ours: in("internal/ledger", "internal/lock", "internal/path", "pkg/diff"), theirs: in("k8s.io/apimachinery", "github.com/go-logr/logr")},
	"internal/store":    {ours: in("pkg/delta", "internal/lock"), theirs: in("k8s.io/apimachinery/pkg/labels", "k8s.io/apimachinery/pkg/selection")},
	"pkg/resync":        {theirs: in("k8s.io/apimachinery/pkg/labels")},
	"pkg/informer":      {ours: in("pkg/delta", "pkg/resync")},
	"pkg/queue":         {},
	"internal/keyqueue": {ours: in("pkg/queue", "internal/lock")},
	"pkg/queue/ctrlqueue": {
		ours:   in("pkg/queue", "internal/keyqueue", "internal/lifecycle"),
		theirs: slices.Concat(metrics, edge), except: aboveUs, // it fills controller-runtime's own vectors
	},
	"pkg/toolscache": {
		ours: in("internal/engine", "internal/lifecycle", "internal/listwatch", "internal/lock", "internal/objects", "internal/peer", "internal/reflector",
			"pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: edge, except: in("sigs.k8s.io/controller-runtime"),
	},
	"pkg/cache": {
		ours: in("internal/dedup", "internal/engine", "internal/footprint", "internal/journal", "internal/lifecycle", "internal/listwatch", "internal/lock", "internal/managed", "internal/memory", "internal/metrics", "internal/objects",
			"internal/observe", "internal/peer",
			"internal/reflector", "internal/path", "internal/store", "internal/timetable", "internal/wire", "pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: edge, except: aboveUs,
	},
	"pkg/source": {
		ours: in("pkg/informer", "pkg/resync", "pkg/delta", "pkg/predicate",
			"internal/engine", "internal/ledger", "internal/lifecycle", "internal/lock", "internal/managed", "internal/objects", "internal/observe", "internal/path", "internal/recording"),
		theirs: edge, except: aboveUs,
	},
	"pkg/predicate": {ours: in("pkg/delta", "pkg/diff", "internal/lock", "internal/objects", "internal/path"), theirs: edge, except: aboveUs},
	"pkg/builder": {
		ours: in("pkg/source", "pkg/delta", "pkg/diff", "pkg/resync", "pkg/queue/ctrlqueue",
			"internal/hotloop", "internal/journal", "internal/ledger", "internal/lock", "internal/managed", "internal/metrics", "internal/objects", "internal/observe", "internal/path", "internal/recording", "internal/schemas",
			"internal/timetable", "pkg/queue"),
		theirs: edge,
	},
	"internal/writes": {ours: in("internal/lock", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"pkg/manager": {
		ours: in("internal/answers", "internal/inspector", "internal/journal", "internal/managed", "internal/memory", "internal/schemas", "internal/writes",
			"pkg/cache", "pkg/delta", "pkg/diff", "pkg/inspect"),
		theirs: edge,
	},
	"pkg/inspect": {},

	// The page, and the operator that its tests look at.
	"internal/inspector": {
		ours:   in("internal/path", "pkg/inspect/v1", "pkg/resync"),
		theirs: in("github.com/go-logr/logr", "k8s.io/apimachinery/pkg/labels"),
	},
	"internal/testing/toyoperator": {
		ours:   in("internal/answers", "internal/inspector", "internal/journal", "internal/managed", "pkg/delta", "pkg/inspect/v1", "pkg/resync"),
		theirs: in("k8s.io/api", "k8s.io/apimachinery"),
	},
	"pkg/inspect/v1": {},

	// An example is a user: it may have all of pkg, and nothing of internal.
	"examples/sample-operator": {
		ours: in("pkg/manager", "pkg/cache", "pkg/inspect", "examples/sample-operator/api/v1alpha1",
			"examples/sample-operator/internal/controller", "examples/sample-operator/internal/webhook/v1alpha1"),
		theirs: edge,
	},
	"examples/sample-operator/api/v1alpha1": {theirs: in("k8s.io/apimachinery")},
	"examples/sample-operator/internal/controller": {
		ours: in("pkg/builder", "pkg/delta", "pkg/manager", "pkg/predicate", "pkg/resync", "examples/sample-operator/api/v1alpha1"), theirs: edge,
	},
	"examples/sample-operator/internal/webhook/v1alpha1": {ours: in("examples/sample-operator/api/v1alpha1"), theirs: edge},

	"hack/demo": {
		ours:   in("internal/testing/controlplane", "internal/lifecycle", "internal/testing/manifests", "examples/sample-operator/api/v1alpha1"),
		theirs: edge,
	},
	"hack/bench":               {},
	"hack/webhookcert":         {theirs: in("k8s.io/client-go/util/cert")},
	"hack/mutants":             {},
	"test/api":                 {},
	"test/canary":              {},
	"test/contract":            {},
	"test/differential":        {},
	"test/docs":                {},
	"test/docs/adopt":          {},
	"test/docs/commands":       {},
	"test/e2e":                 {},
	"test/endtoend":            {},
	"test/endtoend/wireserver": {theirs: in("k8s.io/apimachinery")},
	"test/operator":            {},
	"test/prometheus":          {},
	"test/sampleoperator":      {},
	"test/sim":                 {},
	"test/skip":                {},
}

// edge is what an edge package may know of the outside.
var edge = in(
	"k8s.io/apimachinery", "k8s.io/api", "k8s.io/client-go", "k8s.io/utils",
	"github.com/go-logr/logr", "sigs.k8s.io/controller-runtime",
	"k8s.io/klog/v2", // where client-go's callers put their logger
)

// metrics is how controllers are measured by everybody.
var metrics = in("github.com/prometheus/client_golang")

// aboveUs is what our parts are plugged in beneath; to import it would be a circle.
var aboveUs = in(
	"sigs.k8s.io/controller-runtime/pkg/cluster", "sigs.k8s.io/controller-runtime/pkg/manager",
	"sigs.k8s.io/controller-runtime/pkg/controller", "sigs.k8s.io/controller-runtime/pkg/builder",
	"!sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue",
)

// goroutines is the one package that may have go statements.
const goroutines = "internal/lifecycle"

// meaningless names tell a reader nothing, so anything ends up in them.
var meaningless = in("util", "utils", "common", "types")

func in(paths ...string) []string { return paths }
