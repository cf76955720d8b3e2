package metrics

import "github.com/prometheus/client_golang/prometheus"

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
	buckets []int                // of a histogram: the exponents of two that are shown
	scale   float64              // of a histogram: its numbers are divided by this
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

var (
	// times are from a microsecond to a minute, each four times as long as the one before.
	times = []int{10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36}
	// sizes are from one to 65,535.
	sizes = []int{1, 2, 4, 6, 8, 10, 12, 14, 16}
)

const nanoseconds = 1e9

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
		help: "Whole lists that were read, by the reason for each: First, Requested, Expired, Rewound, Recheck or Broken."}
	watches = &family{name: "delta_cache_watches_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Watches that were opened."}
	skipped = &family{name: "delta_cache_skipped_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Objects and events that were left out because they could not be understood."}
	mutations = &family{name: "delta_cache_mutations_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "Objects of the cache that somebody has changed in place, among the sample that is looked at. There is none until the first."}
	gaps = &family{name: "delta_cache_gaps_total", labels: ofKind, kind: prometheus.CounterValue,
		help: "How often something happened that subscribers were not, or not wholly, told of."}
	turns = &family{name: "delta_cache_list_turn_wait_seconds", labels: ofKind, buckets: times, scale: nanoseconds,
		help: "How long the kind waited for its turn to list."}
	batches = &family{name: "delta_cache_batch_deltas", labels: ofKind, buckets: sizes, scale: 1,
		help: "How many deltas were applied to the cache at once."}
	applied = &family{name: "delta_cache_apply_seconds", labels: ofKind, buckets: times, scale: nanoseconds,
		help: "How long it took to apply a batch of deltas to the cache."}
	pending = &family{name: "delta_cache_pending_deltas", labels: ofKind, kind: prometheus.GaugeValue,
		help: "Deltas that readers can't see yet."}
	oldest = &family{name: "delta_cache_oldest_pending_seconds", labels: ofKind, kind: prometheus.GaugeValue, join: largest,
		help: "How long the oldest delta has waited that readers can't see yet."}
)

// The metrics of subscribers and resyncs.
var (
	lag = &family{name: "delta_subscriber_lag_events", labels: ofSubscriber, kind: prometheus.GaugeValue,
		help: "Events that the subscriber has yet to be told."}
	lagTime = &family{name: "delta_subscriber_lag_seconds", labels: ofSubscriber, kind: prometheus.GaugeValue, join: largest,
		help: "How long ago the oldest of the events was published that the subscriber has yet to be told."}
	told = &family{name: "delta_subscriber_told_total", labels: ofSubscriber, kind: prometheus.CounterValue,
		help: "Events that the subscriber was told."}
	resyncLeft = &family{name: "delta_resync_left_objects", labels: ofKind, kind: prometheus.GaugeValue,
		help: "Objects that the resyncs under way have yet to show."}
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
	latency = &family{name: "delta_event_to_reconcile_seconds", labels: ofCause, buckets: times, scale: nanoseconds,
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
	working = &family{name: "delta_queue_working_requests", labels: ofController, kind: prometheus.GaugeValue,
		help: "Requests that workers have."}
	oldestRequest = &family{name: "delta_queue_oldest_seconds", labels: ofController, kind: prometheus.GaugeValue, join: largest,
		help: "How long the oldest request has waited for a worker."}
	loops = &family{
		name: "delta_hot_loops", labels: ofPattern, kind: prometheus.GaugeValue,
		help: "Requests that are called again and again to no end: Fight, two writers undo each other's writes; OwnWrites, the reconciler is called for what it writes.",
	}
	loopsFound = &family{
		name: "delta_hot_loops_found_total", labels: ofPattern, kind: prometheus.CounterValue,
		help: "How often a request began to be called again and again to no end.",
	}
	loopsHeld = &family{name: "delta_hot_loops_held_back_total", labels: ofController, kind: prometheus.CounterValue,
		help: "Calls that were held back because their request was called again and again to no end."}
	aged = &family{name: "delta_queue_aged_total", labels: ofController, kind: prometheus.CounterValue,
		help: "Requests that went before requests of higher priority because they had waited long."}
)

// families has all of them.
var families = []*family{
	synced, state, heard, disconnected, degraded, objects, bytes, lists, watches, skipped, mutations, gaps, turns, batches, applied, pending, oldest,
	lag, lagTime, told, resyncLeft, resyncShown, resyncSkipped,
	causes, incomplete, changes, own, latency, heldBack, steps, requests, overflows, unsettled, delayed, working, oldestRequest, aged, loops, loopsFound, loopsHeld,
}

// The metrics that client-go's informers have in Kubernetes' own components, where the
// controller manager is a name. Dashboards know them.
var (
	queuedItems = &family{
		name: "informer_queued_items", labels: ofInformer, kind: prometheus.GaugeValue,
		help: "Number of items currently queued in the FIFO.",
	}
	processing = &family{
		name: "informer_processing_latency_seconds", labels: ofInformer, buckets: times, scale: nanoseconds,
		help: "Time taken to process events after popping from the queue.",
	}
	storeVersion = &family{
		name: "informer_store_resource_version", labels: ofInformer, kind: prometheus.GaugeValue, join: smallest,
		help: "Resource version of the store: its 15 least significant digits.",
	}
)

// clientGos has those.
var clientGos = []*family{queuedItems, processing, storeVersion}
