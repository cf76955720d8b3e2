package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// joined says how two series become one that have the same labels.
type joined uint8

const (
	added joined = iota
	smallest
	largest
)

// family is one metric.
type family struct {
	name    string
	help    string
	labels  []string
	kind    prometheus.ValueType // of all but histograms
	buckets []time.Duration      // of a histogram: the bounds that are shown
	join    joined
}

// Labels. A kind has at most three forms, and a process as many kinds as it watches.
var (
	ofKind       = []string{"group", "version", "kind", "form"}
	ofList       = append(ofKind[:4:4], "reason")
	ofState      = append(ofKind[:4:4], "state")
	ofSubscriber = append(ofKind[:4:4], "subscriber")
	ofInformer   = []string{"name", "group", "version", "resource"}
	ofController = []string{"controller"}
	ofPattern    = []string{"controller", "pattern"}
	ofCause      = []string{"controller", "cause"}
	ofReason     = []string{"controller", "reason"}
	ofStep       = []string{"controller", "step", "result"}
)

// times are bounds that a [reflector.Histogram] has.
var times = []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, 100 * time.Second}

// The metrics of a kind.
var (
	synced = &family{name: "delta_cache_synced", labels: ofKind, kind: prometheus.GaugeValue, join: smallest,
		help: "1 if the kind can be read, else 0."}
	state = &family{name: "delta_cache_state", labels: ofState, kind: prometheus.GaugeValue, join: largest,
		help: "1 for the state that the kind is in. Of several namespaces it is the state of the one that is doing worst."}
	heard = &family{name: "delta_cache_last_heard_timestamp_seconds", labels: ofKind, kind: prometheus.GaugeValue, join: smallest,
		help: "When the server last said anything about the kind. Of several namespaces it is the earliest."}
	disconnected = &family{name: "delta_cache_disconnected_since_timestamp_seconds", labels: ofKind, kind: prometheus.GaugeValue, join: smallest,
		help: "Since when all attempts to follow the server have failed, also because it refuses the kind. There is no series while the kind is followed."}
	degraded = &family{name: "delta_cache_degraded_since_timestamp_seconds", labels: ofKind, kind: prometheus.GaugeValue, join: smallest,
		help: "When the server first refused the kind. There is no series while it does not."}
	objects = &family{name: "delta_cache_objects", labels: ofKind, kind: prometheus.GaugeValue,
		help: "Objects that the cache has of the kind."}
	bytes = &family{
		name: "delta_cache_bytes", labels: ofKind, kind: prometheus.GaugeValue,
		help: "Memory that the objects keep alive, estimated from a sample once a minute. What objects share counts for each of them.",
	}
	lists = &family{name: "delta_cache_lists_total", labels: ofList, kind: prometheus.CounterValue,
		help: "Whole lists that were read, by the reason for each: First, Requested, Expired, Rewound, Recheck or Broken. There is none of a reason until the first."}
	watches = &family{name: "delta_cache_watches_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Watches that were opened."}
	skipped = &family{name: "delta_cache_skipped_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Objects and events that were left out because they could not be understood. There is none until the first."}
	mutations = &family{name: "delta_cache_mutations_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Objects of the cache that somebody has changed in place, among the sample that is looked at. There is none until the first."}
	gaps = &family{name: "delta_cache_gaps_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "How often something happened that subscribers were not, or not wholly, told of. There is none until the first."}
	oldest = &family{name: "delta_cache_oldest_pending_seconds", labels: ofKind, kind: prometheus.GaugeValue, join: largest,
		help: "How long the oldest delta has waited that readers can't see yet."}
)

// The metrics of subscribers and resyncs.
var (
	lagTime = &family{name: "delta_subscriber_lag_seconds", labels: ofSubscriber, kind: prometheus.GaugeValue, join: largest,
		help: "How long ago the oldest of the events was published that the subscriber has yet to be told."}
	resyncLeft = &family{name: "delta_resync_left_objects", labels: ofKind, kind: prometheus.GaugeValue,
		help: "Objects that the resyncs under way have yet to show. There are metrics of resyncs from the first one of the kind on."}
	resyncShown = &family{name: "delta_resync_shown_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Objects that resyncs have shown. Its rate is the rate of the resyncs."}
	resyncSkipped = &family{name: "delta_resync_skipped_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Resyncs that did not begin because two earlier ones had not ended."}
)

// The metrics of a controller that our builder has built.
var (
	causes = &family{name: "delta_reconcile_causes_total", labels: ofCause, kind: prometheus.CounterValue,
		help: "Calls of the reconciler, by each cause that they had. A call may have several."}
	incomplete = &family{name: "delta_reconcile_incomplete_total", labels: ofReason, kind: prometheus.CounterValue,
		help: "Calls whose changes were not complete, by reason."}
	changes = &family{name: "delta_reconcile_changes_total", labels: ofController, kind: prometheus.CounterValue,
		help: "Changes that the reconciler was told."}
	own = &family{name: "delta_reconcile_own_writes_total", labels: ofController, kind: prometheus.CounterValue,
		help: "Changes that the reconciler was told, and that the operator itself had made."}
	latency = &family{name: "delta_event_to_reconcile_seconds", labels: ofController, buckets: times,
		help: "How long it took from when a watch delivered a change to the first call of the reconciler that was told it."}
	heldBack = &family{name: "delta_events_held_back_total", labels: ofController, kind: prometheus.CounterValue,
		help: "Events that a predicate held back."}
	steps = &family{name: "delta_steps_total", labels: ofStep, kind: prometheus.CounterValue,
		help: "Steps of delta.Plan by result: done, failed or skipped. At most 101 steps of a controller are told apart."}
	requests = &family{name: "delta_ledger_requests", labels: ofController, kind: prometheus.GaugeValue,
		help: "Requests that have changes in the ledger, or are at a worker."}
	overflows = &family{name: "delta_ledger_overflows_total", labels: ofController, kind: prometheus.CounterValue,
		help: "How often there was more than the ledger may hold."}
	unsettled = &family{name: "delta_reconcile_unsettled_calls", labels: ofController, kind: prometheus.GaugeValue,
		help: "Calls that have asked for another one and settled nothing, since the last that did."}
	delayed = &family{name: "delta_queue_delayed_requests", labels: ofController, kind: prometheus.GaugeValue,
		help: "Requests that wait for a timer."}
	oldestRequest = &family{name: "delta_queue_oldest_seconds", labels: ofController, kind: prometheus.GaugeValue, join: largest,
		help: "How long the oldest request has waited for a worker."}
	loops = &family{
		name: "delta_hot_loops", labels: ofPattern, kind: prometheus.GaugeValue,
		help: "Requests that are called again and again to no end: Fight, two writers undo each other's writes; OwnWrites, the reconciler is called for what it writes. There is none of a pattern until the first.",
	}
	loopsFound = &family{
		name: "delta_hot_loops_found_total", labels: ofPattern, kind: prometheus.CounterValue,
		help: "How often a request began to be called again and again to no end. There is none of a pattern until the first.",
	}
	loopsHeld = &family{name: "delta_hot_loops_held_back_total", labels: ofController, kind: prometheus.CounterValue,
		help: "Calls that were held back because their request was called again and again to no end."}
	aged = &family{name: "delta_queue_aged_total", labels: ofController, kind: prometheus.CounterValue,
		help: "Requests that went before requests of higher priority because they had waited long."}
)

// families has all of them.
var families = []*family{
	synced, state, heard, disconnected, degraded, objects, bytes, lists, watches, skipped, mutations, gaps, oldest,
	lagTime, resyncLeft, resyncShown, resyncSkipped,
	causes, incomplete, changes, own, latency, heldBack, steps, requests, overflows, unsettled, delayed, oldestRequest, aged, loops, loopsFound, loopsHeld,
}

// The metrics that client-go's informers have in Kubernetes' own components, where the
// controller manager is a name. Dashboards know them.
var (
	queuedItems = &family{
		name: "informer_queued_items", labels: ofInformer, kind: prometheus.GaugeValue,
		help: "Number of items currently queued in the FIFO.",
	}
	processing = &family{
		name: "informer_processing_latency_seconds", labels: ofInformer, buckets: times,
		help: "Time taken to process events after popping from the queue.",
	}
	storeVersion = &family{
		name: "informer_store_resource_version", labels: ofInformer, kind: prometheus.GaugeValue, join: smallest,
		help: "Resource version of the store: its 15 least significant digits.",
	}
)

// clientGos has those.
var clientGos = []*family{queuedItems, processing, storeVersion}
