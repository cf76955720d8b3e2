package v1

import "time"

// QueueList answers /delta/v1/queues.
type QueueList struct {
	At    time.Time `json:"at"`
	Items []Queue   `json:"items"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Queue is what one controller has to do.
type Queue struct {
	Controller string `json:"controller"`
	// Known is false for a queue that is not ours: nothing can be said of it.
	Known bool `json:"known"`
	// Ready counts the requests that wait for a worker, Delayed those that wait for a timer,
	// Working those that a worker has.
	Ready   int `json:"ready"`
	Delayed int `json:"delayed"`
	Working int `json:"working"`
	// OldestSeconds is how long the oldest ready request has waited.
	OldestSeconds float64 `json:"oldestSeconds"`
	Added         uint64  `json:"added"`
	Finished      uint64  `json:"finished"`
	Items         []Item  `json:"items"`
	// More is set where there are more requests than are shown.
	More bool `json:"more,omitempty"`
}

// Item is one request in a queue.
type Item struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// State is working, ready or delayed.
	State    string    `json:"state"`
	Priority int       `json:"priority"`
	Queued   time.Time `json:"queued,omitzero"`
	Due      time.Time `json:"due,omitzero"`
	Working  time.Time `json:"working,omitzero"`
	Attempts int       `json:"attempts,omitempty"`
	// Why has the changes that the request waits with.
	Why []Change `json:"why,omitempty"`
	// WhyLeftOut is how many more there are. The answer has no room for them.
	WhyLeftOut int `json:"whyLeftOut,omitempty"`
}

// Why answers /delta/v1/why: what is known of one object.
type Why struct {
	At time.Time `json:"at"`
	// Kind is a name of /delta/v1/kinds.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Cached is whether the cache has the object, and ResourceVersion in which version.
	Cached          bool   `json:"cached"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	// Owners are the object's owners, each followed by its own, and Children what it owns, each followed by what that owns. They are
	// there if they were asked for. At most 40 of each are known, and of the children those in the cache.
	Owners   []Relative `json:"owners,omitempty"`
	Children []Relative `json:"children,omitempty"`
	// Requests say for each controller that reconciles the kind how the object's request is doing.
	Requests []Request `json:"requests"`
	// Told are the last calls that had a change of this object, of any controller, or that were made for it.
	Told []Reconcile `json:"told,omitempty"`
	// Deltas are the last deltas of the object.
	Deltas []Delta `json:"deltas,omitempty"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Relative is an owner of an object, or what it owns.
type Relative struct {
	// Kind is a name of /delta/v1/kinds if the cache has the object, else as the reference has it.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Depth counts generations, from 1.
	Depth int `json:"depth"`
	// Cached is whether the cache has it.
	Cached bool `json:"cached"`
}

// Request is how one request of one controller is doing.
type Request struct {
	Controller string `json:"controller"`
	// State is idle, working, ready or delayed; unknown where the queue is not ours.
	State string `json:"state"`
	// Item is the request's place in the queue, if it is there.
	Item *Item `json:"item,omitempty"`
	// LastSuccess is when the reconciler last succeeded with it, if that is known.
	LastSuccess time.Time `json:"lastSuccess,omitzero"`
	// Last is its last call.
	Last *Reconcile `json:"last,omitempty"`
	Loop *Loop      `json:"loop,omitempty"`
	// Summary says all that in a sentence.
	Summary string `json:"summary"`
}
