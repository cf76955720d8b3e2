package v1

// ResyncAction is the body of POST /delta/v1/actions/resync: show the objects of a kind to those who
// take part in resyncs, although they have not changed.
type ResyncAction struct {
	// Kind is a name of /delta/v1/kinds, or what stands for one alone.
	Kind string `json:"kind"`
	// Selector is a label selector; empty selects all.
	Selector string `json:"selector,omitempty"`
}

// RelistAction is the body of POST /delta/v1/actions/relist: list a kind again.
type RelistAction struct {
	// Kind is a name of /delta/v1/kinds, or what stands for one alone.
	Kind string `json:"kind"`
}

// PolicyAction is the body of POST /delta/v1/actions/policy: change when objects of a kind are shown
// unchanged.
type PolicyAction struct {
	// Kind is a name of /delta/v1/kinds, or what stands for one alone.
	Kind string `json:"kind"`
	// Period is a duration such as 10m, or "never".
	Period string `json:"period"`
	// Rate is the number of objects a second; zero sets no limit.
	Rate float64 `json:"rate,omitempty"`
}

// RequestAction is the body of POST /delta/v1/actions/forget, which forgets a request's failures so
// that it is tried at once, and of POST /delta/v1/actions/cancel, which cancels its delayed add.
type RequestAction struct {
	Controller string `json:"controller"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// Done answers an action.
type Done struct {
	// Message says in a sentence what was done.
	Message string `json:"message"`
}

// Problem answers a request that can't be served.
type Problem struct {
	Status int `json:"status"`
	// Message says what was asked, of what, and why it can't be served.
	Message string `json:"message"`
}
