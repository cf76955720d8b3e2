package v1

import "time"

// KindList answers /delta/v1/kinds.
type KindList struct {
	// At is when the answer was made.
	At    time.Time `json:"at"`
	Items []Kind    `json:"items"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Kind is how the cache is doing with one kind.
type Kind struct {
	// Name says which kind, and in which form where it is not that of Go types: "v1 Pod", or
	// "v1 Pod (metadata)". Wherever else v1 names a kind, it is this name.
	Name    string `json:"name"`
	Group   string `json:"group"`
	Version string `json:"version"`
	// Kind is the part of the name that has no version and no form: "Pod".
	Kind   string `json:"kind"`
	Synced bool   `json:"synced"`
	// State is one word: Following, Listing, Streaming, Watching, Queued, BackingOff, Degraded,
	// Idle or Stopped.
	State string `json:"state"`
	// Since is when the kind entered State.
	Since time.Time `json:"since"`
	// Why says in a sentence how the kind is doing, and what to do about it.
	Why string `json:"why"`
	// HeardAt is when the server last said anything about the kind.
	HeardAt time.Time `json:"heardAt,omitzero"`
	// DisconnectedSince is when the server was last heard, if all attempts since have failed.
	DisconnectedSince time.Time `json:"disconnectedSince,omitzero"`
	// DegradedSince is when the server first refused the kind.
	DegradedSince time.Time `json:"degradedSince,omitzero"`
	// ResourceVersion is the newest version that readers can see the state of.
	ResourceVersion string `json:"resourceVersion"`
	Objects         int    `json:"objects"`
	// Pending counts the deltas that readers can't see yet.
	Pending int `json:"pending"`
	// Lists counts whole lists by the reason for each: First, Requested, Expired, Rewound, Recheck or
	// Broken.
	Lists map[string]uint64 `json:"lists,omitempty"`
	// Watches counts the watches that were opened.
	Watches uint64 `json:"watches"`
	// Skipped counts objects and events that were left out because they could not be read.
	Skipped   uint64 `json:"skipped"`
	LastError string `json:"lastError,omitempty"`
	// Mutated says which object of the cache somebody has changed in place; empty if none was found.
	Mutated string  `json:"mutated,omitempty"`
	Scopes  []Scope `json:"scopes"`
	// ScopesLeftOut is how many more there are. The answer has no room for them.
	ScopesLeftOut int          `json:"scopesLeftOut,omitempty"`
	Subscribers   []Subscriber `json:"subscribers"`
	Resync        Resync       `json:"resync"`
}

// Scope is how one namespace of a kind is doing, or all namespaces together.
type Scope struct {
	// Namespace is empty for all.
	Namespace string   `json:"namespace"`
	Except    []string `json:"except,omitempty"`
	Synced    bool     `json:"synced"`
	// State is one of the words of the kind's State.
	State           string    `json:"state"`
	ResourceVersion string    `json:"resourceVersion"`
	HeardAt         time.Time `json:"heardAt,omitzero"`
	Policy          string    `json:"policy,omitempty"`
}

// Subscriber is somebody who is told the deltas of a kind, such as a controller.
type Subscriber struct {
	Name string `json:"name"`
	// Lag counts the events that the subscriber has yet to be told.
	Lag        uint64  `json:"lag"`
	LagSeconds float64 `json:"lagSeconds"`
	Told       uint64  `json:"told"`
	Synced     bool    `json:"synced"`
	Slow       bool    `json:"slow"`
	// InHandlerSince is when the call of the handler began that has not returned.
	InHandlerSince time.Time `json:"inHandlerSince,omitzero"`
	// Policies say in words when the subscriber is shown unchanged objects.
	Policies []string `json:"policies,omitempty"`
}

// Resync is how far the resyncs of a kind are.
type Resync struct {
	// Next is when the next begins, if one will.
	Next time.Time `json:"next,omitzero"`
	// Runs counts the resyncs that have begun and not ended. Subscribers that are shown the same
	// together share one.
	Runs int `json:"runs"`
	// Left counts the objects that these have yet to show.
	Left int `json:"left"`
	// Waiting counts the resyncs that were asked for and have not begun.
	Waiting int `json:"waiting"`
	// Skipped counts the resyncs that did not begin because two earlier ones had not ended.
	Skipped uint64 `json:"skipped"`
}

// Memory answers /delta/v1/memory: what a kind costs in memory, estimated from a sample.
type Memory struct {
	At time.Time `json:"at"`
	// Kind is a name of /delta/v1/kinds.
	Kind    string `json:"kind"`
	Objects int    `json:"objects"`
	// Sampled is how many of them were measured.
	Sampled int `json:"sampled"`
	// Truncated is set where the time was over before the whole sample was measured.
	Truncated bool `json:"truncated,omitempty"`
	// Bytes is the estimate for all objects.
	Bytes uint64 `json:"bytes"`
	// Paths has the fields that cost most, the most expensive first.
	Paths []PathCost `json:"paths"`
}

// PathCost is what one field costs in all objects of a kind.
type PathCost struct {
	Path  string `json:"path"`
	Bytes uint64 `json:"bytes"`
}
