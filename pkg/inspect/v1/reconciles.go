package v1

import "time"

// ControllerList answers /delta/v1/controllers.
type ControllerList struct {
	At    time.Time    `json:"at"`
	Items []Controller `json:"items"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Controller is how one controller is doing.
type Controller struct {
	Name string `json:"name"`
	// Kind is the kind that it reconciles, a name of /delta/v1/kinds; empty if it reconciles requests
	// of its own.
	Kind string `json:"kind,omitempty"`
	// Calls counts the calls of the reconciler by result: success, requeue, error or panic.
	Calls map[string]uint64 `json:"calls"`
	// Causes counts the calls by each cause that they had: the words are those of a Change's Causes.
	Causes map[string]uint64 `json:"causes"`
	// Incomplete counts the calls whose changes were not complete, by reason: NotRecorded, FirstTime,
	// InitialList, Restart, Missed, Overflow, Unrecorded, Unattributed, Blind or Other.
	Incomplete map[string]uint64 `json:"incomplete,omitempty"`
	// Changes counts the changes that the reconciler was told, and OwnWrites those among
	// them that it had made itself.
	Changes   uint64 `json:"changes"`
	OwnWrites uint64 `json:"ownWrites"`
	// HeldBack counts the events that a predicate held back.
	HeldBack uint64 `json:"heldBack"`
	Steps    []Step `json:"steps,omitempty"`
	Ledger   Ledger `json:"ledger"`
}

// Step counts what became of the steps of one name.
type Step struct {
	Name    string `json:"name"`
	Done    uint64 `json:"done"`
	Failed  uint64 `json:"failed"`
	Skipped uint64 `json:"skipped"`
	// Blind says why the step could not be judged when it last ran for that reason.
	Blind string `json:"blind,omitempty"`
}

// Ledger is what a controller's ledger holds.
type Ledger struct {
	Requests   int    `json:"requests"`
	Changes    int    `json:"changes"`
	Remembered int    `json:"remembered"`
	Gaps       uint32 `json:"gaps"`
	Overflows  uint64 `json:"overflows"`
	Blind      string `json:"blind,omitempty"`
	Advice     string `json:"advice,omitempty"` // for the author of the reconciler
}

// ReconcileList answers /delta/v1/reconciles: the last calls that the journal holds.
type ReconcileList struct {
	At      time.Time   `json:"at"`
	Items   []Reconcile `json:"items"`
	Dropped uint64      `json:"dropped"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Reconcile is one call of a reconciler.
type Reconcile struct {
	ID         uint64    `json:"id"`
	Controller string    `json:"controller"`
	Namespace  string    `json:"namespace"`
	Name       string    `json:"name"`
	Began      time.Time `json:"began"`
	Seconds    float64   `json:"seconds"`
	// Result is success, requeue, error or panic.
	Result string `json:"result"`
	Error  string `json:"error,omitempty"`
	// RequeueAfterSeconds is set where the reconciler asked for another call.
	RequeueAfterSeconds float64 `json:"requeueAfterSeconds,omitempty"`
	// Attempt is one more than how many calls in a row had failed.
	Attempt int `json:"attempt"`
	// Incomplete says in words why the changes were not complete; empty if they were.
	Incomplete string   `json:"incomplete,omitempty"`
	Changes    []Change `json:"changes"`
	// ChangesLeftOut is how many more there are. The answer has no room for them.
	ChangesLeftOut int           `json:"changesLeftOut,omitempty"`
	Steps          []StepOutcome `json:"steps,omitempty"`
}

// Change is why a reconciler was called.
type Change struct {
	// Causes are some of Primary, Owned, Mapped, External, Generic, Resync, InitialList, Retry, Timer,
	// Relist and Restart.
	Causes []string `json:"causes"`
	// Kind is a name of /delta/v1/kinds; empty if the change is of no object.
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Op is Added, Updated, Deleted, Sync or OutOfScope; empty if the change is of no object.
	Op      string `json:"op,omitempty"`
	Manager string `json:"manager,omitempty"`
	// Own is set where the operator made the change itself.
	Own bool `json:"own,omitempty"`
	// Again is set where an earlier call was told all of it. That call has not settled it.
	Again        bool      `json:"again,omitempty"`
	First        time.Time `json:"first,omitzero"`
	Last         time.Time `json:"last,omitzero"`
	Deltas       int       `json:"deltas"`
	Edits        []Edit    `json:"edits,omitempty"`
	EditsLeftOut bool      `json:"editsLeftOut,omitempty"`
}

// StepOutcome is what became of one step of a call.
type StepOutcome struct {
	Name string `json:"name"`
	// Result is done, skipped or failed.
	Result string `json:"result"`
	// Seconds is how long it ran.
	Seconds float64 `json:"seconds,omitempty"`
	Error   string  `json:"error,omitempty"`
	Because string  `json:"because,omitempty"`
}

// LoopList answers /delta/v1/loops: requests that are called again and again.
type LoopList struct {
	At    time.Time `json:"at"`
	Items []Loop    `json:"items"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Loop is a request that is called again and again to no end.
type Loop struct {
	Controller string `json:"controller"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// Pattern is Fight, where two writers undo each other's writes, or OwnWrites, where the
	// reconciler is called by what it writes.
	Pattern string `json:"pattern"`
	// Kind, ObjectNamespace and ObjectName say which object is written. Kind is a name of
	// /delta/v1/kinds.
	Kind            string `json:"kind"`
	ObjectNamespace string `json:"objectNamespace"`
	ObjectName      string `json:"objectName"`
	// Paths are the fields that are written again and again.
	Paths    []string  `json:"paths"`
	Managers []string  `json:"managers"`
	Rounds   int       `json:"rounds"`
	Since    time.Time `json:"since"`
	Last     time.Time `json:"last"`
	// Over is set once the loop has been quiet for a while.
	Over bool `json:"over,omitempty"`
	// Deferred is set where the guard slows the request down.
	Deferred bool `json:"deferred,omitempty"`
}
