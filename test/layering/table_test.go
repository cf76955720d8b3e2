package layering

import "slices"

// The table. It is what ARCHITECTURE.md promises a reader: change both together. It
// has nothing in it that nobody uses, so that it says how things are.
var table = map[string]rule{
	"internal/base/lock":        {},
	"internal/base/lifecycle":   {ours: in("internal/base/lock")},
	"internal/api/objects":      {ours: in("internal/api/dedup", "internal/schema/path", "internal/engine/store", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/api/listwatch":    {ours: in("pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/engine/timetable": {ours: in("pkg/delta", "pkg/resync"), theirs: in("k8s.io/apimachinery/pkg/labels")},
	"internal/engine/reflector": {
		ours:   in("internal/api/listwatch", "internal/base/lock", "pkg/delta", "pkg/informer"),
		theirs: in("k8s.io/apimachinery", "github.com/go-logr/logr"),
	},
	"internal/engine": {
		ours: in("internal/base/lifecycle", "internal/api/listwatch", "internal/base/lock", "internal/engine/mutation", "internal/engine/reflector",
			"internal/engine/store", "internal/engine/timetable", "pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: in("k8s.io/apimachinery", "github.com/go-logr/logr"),
	},
	"internal/inspect/observe": {
		ours:   in("internal/engine", "internal/hotloop", "internal/inspect/journal", "internal/base/lock", "internal/engine/reflector", "pkg/delta", "pkg/informer", "pkg/queue", "pkg/resync"),
		theirs: in("k8s.io/apimachinery", "sigs.k8s.io/controller-runtime/pkg/client"),
	},
	"internal/managed": {ours: in("internal/inspect/journal", "internal/base/lock", "internal/inspect/observe", "pkg/delta", "pkg/diff")},
	"internal/inspect/metrics": {
		ours:   in("internal/managed", "internal/inspect/observe", "internal/engine/reflector", "pkg/informer"),
		theirs: slices.Concat(metrics, in("k8s.io/apimachinery", "github.com/go-logr/logr", "sigs.k8s.io/controller-runtime/pkg/metrics")),
	},
	"internal/inspect/answers": {
		ours: in("internal/base/lifecycle", "internal/base/lock", "internal/engine/reflector", "internal/inspect/footprint", "internal/hotloop", "internal/inspect/inspector", "internal/inspect/journal", "internal/managed", "internal/inspect/observe", "internal/schema/path",
			"pkg/delta", "pkg/diff", "pkg/informer", "pkg/inspect/v1", "pkg/queue", "pkg/resync"),
		theirs: in("k8s.io/apimachinery"),
	},
	"internal/engine/peer": {
		ours:   in("internal/engine", "internal/base/lifecycle", "internal/base/lock", "internal/engine/reflector", "internal/engine/store", "pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: edge, except: in("sigs.k8s.io/controller-runtime"),
	},
	"internal/engine/mutation":      {ours: in("internal/api/dedup", "internal/base/lock", "pkg/delta", "pkg/informer"), theirs: in("k8s.io/apimachinery/pkg/api/resource")},
	"internal/inspect/footprint":    {ours: in("internal/api/dedup"), theirs: in("k8s.io/apimachinery")},
	"internal/hotloop":              {ours: in("internal/ledger", "internal/base/lock", "internal/schema/path", "pkg/delta"), theirs: in("k8s.io/apimachinery", "sigs.k8s.io/structured-merge-diff")},
	"internal/inspect/journal":      {ours: in("internal/inspect/footprint", "internal/ledger", "internal/base/lock", "internal/schema/path", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"test/layering":                 {},
	"internal/testing/controlplane": {ours: in("internal/base/lifecycle", "internal/testing/manifests"), theirs: edge},
	"internal/testing/realtime":     {theirs: in("go.uber.org/goleak")},
	"internal/testing/seeds":        {},
	"internal/testing/promise":      {},
	"internal/api/dedup":            {theirs: in("k8s.io/api", "k8s.io/apimachinery")},
	"internal/api/decode":           {ours: in("internal/api/dedup"), theirs: in("k8s.io/api", "k8s.io/apimachinery", "google.golang.org/protobuf/encoding/protowire")},
	"internal/memory/savefile":      {theirs: in("github.com/klauspost/compress/zstd")},
	"internal/memory": {
		ours:   in("internal/base/lifecycle", "internal/base/lock", "internal/memory/savefile", "pkg/delta"),
		theirs: in("github.com/go-logr/logr", "k8s.io/apimachinery", "k8s.io/client-go"),
	},
	"internal/api/wire": {
		ours:   in("internal/api/decode", "internal/api/dedup", "internal/api/listwatch", "pkg/delta"),
		theirs: in("k8s.io/apimachinery", "k8s.io/client-go/rest", "k8s.io/client-go/tools/metrics", "google.golang.org/protobuf/encoding/protowire"),
	},
	"internal/ledger/recording": {ours: in("internal/ledger", "internal/base/lock", "pkg/delta"), theirs: edge, except: aboveUs},
	"internal/schema/openapi":   {ours: in("internal/schema/path"), theirs: in("k8s.io/apimachinery/pkg/runtime/schema", "sigs.k8s.io/structured-merge-diff")},
	"internal/schema/schemas": {
		ours:   in("internal/base/lock", "internal/schema/openapi", "internal/schema/path", "pkg/diff"),
		theirs: slices.Concat(in("sigs.k8s.io/structured-merge-diff"), edge), except: aboveUs,
	},
	"internal/testing/manifests": {theirs: in("k8s.io/apimachinery", "k8s.io/client-go/util/cert")},
	"internal/testing/docblocks": {},
	"internal/testing/relay":     {},
	"internal/testing/sources":   {},
	"internal/testing/fulltypes": {theirs: slices.Concat(in("sigs.k8s.io/structured-merge-diff"), edge)},
	"internal/testing/samples":   {theirs: slices.Concat(in("sigs.k8s.io/structured-merge-diff"), edge)},
	"internal/testing/scrape":    {theirs: metrics},
	"internal/testing/await":     {},
	"internal/testing/apifake":   {theirs: in("k8s.io/apimachinery")},
	"internal/testing/benchkit":  {theirs: edge},
	"internal/testing/faulty":    {ours: in("internal/api/listwatch", "internal/testing/apifake", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"internal/testing/informers": {
		ours:   in("internal/engine", "internal/api/listwatch", "internal/api/objects", "internal/engine/peer", "internal/engine/reflector", "pkg/informer"),
		theirs: edge,
	},

	"internal/ledger":       {},
	"internal/schema/path":  {ours: in("internal/api/dedup"), theirs: in("k8s.io/apimachinery", "sigs.k8s.io/structured-merge-diff")},
	"pkg/diff":              {ours: in("internal/schema/path"), theirs: in("k8s.io/apimachinery", "sigs.k8s.io/structured-merge-diff")},
	"pkg/delta":             {ours: in("internal/ledger", "internal/base/lock", "internal/schema/path", "pkg/diff"), theirs: in("k8s.io/apimachinery", "github.com/go-logr/logr")},
	"internal/engine/store": {ours: in("pkg/delta", "internal/base/lock"), theirs: in("k8s.io/apimachinery/pkg/labels", "k8s.io/apimachinery/pkg/selection")},
	"pkg/resync":            {theirs: in("k8s.io/apimachinery/pkg/labels")},
	"pkg/informer":          {ours: in("pkg/delta", "pkg/resync")},
	"pkg/queue":             {},
	"internal/keyqueue":     {ours: in("pkg/queue", "internal/base/lock")},
	"pkg/queue/ctrlqueue": {
		ours:   in("pkg/queue", "internal/keyqueue", "internal/base/lifecycle"),
		theirs: slices.Concat(metrics, edge), except: aboveUs, // it fills controller-runtime's own vectors
	},
	"pkg/toolscache": {
		ours: in("internal/engine", "internal/base/lifecycle", "internal/api/listwatch", "internal/base/lock", "internal/api/objects", "internal/engine/peer", "internal/engine/reflector",
			"pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: edge, except: in("sigs.k8s.io/controller-runtime"),
	},
	"pkg/cache": {
		ours: in("internal/engine", "internal/inspect/footprint", "internal/inspect/journal", "internal/base/lifecycle", "internal/api/listwatch", "internal/base/lock", "internal/managed", "internal/memory", "internal/inspect/metrics", "internal/api/objects",
			"internal/inspect/observe", "internal/engine/peer",
			"internal/engine/reflector", "internal/schema/path", "internal/engine/store", "internal/engine/timetable", "internal/api/wire", "pkg/delta", "pkg/informer", "pkg/resync"),
		theirs: edge, except: aboveUs,
	},
	"pkg/source": {
		ours: in("pkg/informer", "pkg/resync", "pkg/delta", "pkg/predicate",
			"internal/engine", "internal/ledger", "internal/base/lifecycle", "internal/managed", "internal/api/objects", "internal/inspect/observe", "internal/schema/path", "internal/ledger/recording"),
		theirs: edge, except: aboveUs,
	},
	"pkg/predicate": {ours: in("pkg/delta", "pkg/diff", "internal/base/lock", "internal/api/objects", "internal/schema/path"), theirs: edge, except: aboveUs},
	"pkg/builder": {
		ours: in("pkg/source", "pkg/delta", "pkg/diff", "pkg/resync", "pkg/queue/ctrlqueue",
			"internal/hotloop", "internal/inspect/journal", "internal/ledger", "internal/base/lock", "internal/managed", "internal/inspect/metrics", "internal/inspect/observe", "internal/schema/path", "internal/ledger/recording", "internal/schema/schemas",
			"internal/engine/timetable", "pkg/queue"),
		theirs: edge,
	},
	"internal/ledger/writes": {ours: in("internal/base/lock", "pkg/delta"), theirs: in("k8s.io/apimachinery")},
	"pkg/manager": {
		ours: in("internal/inspect/answers", "internal/inspect/inspector", "internal/inspect/journal", "internal/managed", "internal/memory", "internal/schema/schemas", "internal/ledger/writes",
			"pkg/cache", "pkg/delta", "pkg/diff", "pkg/inspect"),
		theirs: edge,
	},
	"pkg/inspect": {},

	// The page, and the operator that its tests look at.
	"internal/inspect/inspector": {
		ours:   in("internal/schema/path", "pkg/inspect/v1", "pkg/resync"),
		theirs: in("github.com/go-logr/logr", "k8s.io/apimachinery/pkg/labels"),
	},
	"internal/testing/toyoperator": {
		ours:   in("internal/inspect/answers", "internal/inspect/inspector", "internal/inspect/journal", "internal/managed", "pkg/delta", "pkg/inspect/v1", "pkg/resync"),
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

	"cmd/delta-adopt": {},
	"hack/demo": {
		ours:   in("internal/testing/controlplane", "internal/base/lifecycle", "internal/testing/manifests", "examples/sample-operator/api/v1alpha1"),
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
	"test/release":             {},
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
const goroutines = "internal/base/lifecycle"

// meaningless names tell a reader nothing, so anything ends up in them.
var meaningless = in("util", "utils", "common", "types")

func in(paths ...string) []string { return paths }
