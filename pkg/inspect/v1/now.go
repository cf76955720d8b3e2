package v1

import "time"

// Now answers /delta/v1/now: how the operator is doing, and what needs attention.
type Now struct {
	// At is when the answer was made.
	At      time.Time `json:"at"`
	Program Program   `json:"program"`
	// Attention has what needs attention, the most urgent first. If it is empty, all is well.
	Attention []Attention `json:"attention"`
	// Past is how much was done in the last quarter of an hour.
	Past Past `json:"past"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Program is the process that answers.
type Program struct {
	// Name is the last part of the program's path that is not as general as cmd, and Version the version of its module if
	// it has one.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Host is the name of the machine, which in a cluster is the Pod's.
	Host string `json:"host"`
	// Since is when the process started.
	Since time.Time `json:"since"`
	// Leads is false while another replica reconciles, and until the manager has started its controllers.
	Leads bool `json:"leads"`
}

// Attention is one thing that needs attention.
type Attention struct {
	// What is Kind (the cache does not follow it, or somebody has changed one of its objects in place), Failing (calls end with
	// an error), Loop (calls cause one another), Slow (a handler of events is behind, or a call does not return), Waiting
	// (requests wait long for a worker), or Unsettled (a reconciler always asks for another call).
	What string `json:"what"`
	// Summary says it in a sentence.
	Summary string `json:"summary"`
	// Error is the last error of a kind or of a failing request.
	Error string `json:"error,omitempty"`
	// Since is when it began, if that is known.
	Since time.Time `json:"since,omitzero"`
	// Requests is how many requests are known to fail for this reason, to loop, or to wait.
	Requests   int    `json:"requests,omitempty"`
	Controller string `json:"controller,omitempty"`
	// Kind is a name of /delta/v1/kinds. With a Name it is the kind of an object, which stands for all requests.
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// Past has samples, the oldest first. All its lists are of one length.
type Past struct {
	// Controller is the one that the samples are of; empty for all together.
	Controller string `json:"controller,omitempty"`
	// EverySeconds is the time from one sample to the next, and LastAt that of the last.
	EverySeconds float64   `json:"everySeconds"`
	LastAt       time.Time `json:"lastAt,omitzero"`
	// Calls are the calls of reconcilers that ended since the sample before, and Errors those of them that failed.
	Calls  []uint64 `json:"calls"`
	Errors []uint64 `json:"errors"`
	// Changes are the changes that these calls were told.
	Changes []uint64 `json:"changes"`
	// Queued is how many requests waited for a worker.
	Queued []int `json:"queued"`
	// P99Seconds is the time within which 99 of 100 changes led to a call, from when the watch delivered them. Zero
	// means that there was none.
	P99Seconds []float64 `json:"p99Seconds"`
}
