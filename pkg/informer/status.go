package informer

import (
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// ReflectorStatus is how the part of an informer that lists and watches is doing.
type ReflectorStatus struct {
	Kind string
	// State is one of: Idle, it has not been started; Queued, it waits for its turn to list;
	// Streaming, it reads a whole list as a stream of events; Listing, it reads a whole list
	// in pages; Watching, it asks for a watch; Following, a watch is open, so it is in step
	// with the server; BackingOff, it waits until it tries again what failed; Degraded, the
	// server refuses the kind or does not have it, so it keeps trying but a person has to act;
	// Stopped, it has returned.
	State string
	Since time.Time `json:",omitzero"` // when it entered State
	// Why says in a sentence why the kind is not synced or not up to date, and what to do
	// about it.
	Why string

	// Version is the last resource version it has seen.
	Version string
	// SyncedOnce is whether it has ever handed on a whole list, and ListedAt when it last did.
	SyncedOnce bool
	ListedAt   time.Time `json:",omitzero"`

	// Attempts is how often it has failed in a row.
	Attempts    int
	LastError   error
	LastErrorAt time.Time `json:",omitzero"`
	// NextTry is when it tries again; set while BackingOff or Degraded.
	NextTry time.Time `json:",omitzero"`
	// DegradedSince is when it first was Degraded. It is zero once a watch could be opened:
	// State leaves Degraded for each attempt, DegradedSince does not.
	DegradedSince time.Time `json:",omitzero"`
	// DisconnectedSince is when the server was last heard, if all attempts since have failed. Readers
	// see the state of then. It is zero while the server answers.
	DisconnectedSince time.Time `json:",omitzero"`

	// Skipped is how many objects and events it had to leave out because they could not be
	// understood, and LastSkipped why the last of them.
	Skipped     int
	LastSkipped error
}

// Status is how an informer is doing, for people to read.
type Status struct {
	Name    string
	Synced  bool
	Version string // newest resource version that readers can see
	Objects int    // in the store
	Pending int    // deltas that are not in the store yet
	// Reflector is how the scope is doing that is doing worst.
	Reflector   ReflectorStatus
	Scopes      []ScopeStatus
	Subscribers []SubscriberStatus
	Resync      resync.Status
	// Mutations is how many objects were found that somebody had changed in place, Mutated the
	// last of them. A sample is looked at.
	Mutations uint64    `json:",omitzero"`
	Mutated   *Mutation `json:",omitzero"`
}

// ScopeStatus is how one scope is doing.
type ScopeStatus struct {
	Namespace string
	Except    []string
	Synced    bool
	Version   string    // newest resource version of the scope that readers can see
	HeardAt   time.Time `json:",omitzero"` // when the server last said something about it
	Resync    resync.Policy
	Reflector ReflectorStatus
}

// SubscriberStatus is how one subscriber is doing.
type SubscriberStatus struct {
	Name   string
	Number uint32
	// Lag is how many events it has yet to be told; of the first list, how many objects.
	Lag uint64
	// OldestAge is how long ago the oldest of them was published.
	OldestAge time.Duration
	// Told is how many events it has been through.
	Told uint64
	// Synced says whether it has been told everything of the first list.
	Synced bool
	// InHandlerSince is when the call of its handler began that has not returned,
	// late by at most a second; zero while it is idle.
	InHandlerSince time.Time `json:",omitzero"`
	// Resync is when it is shown unchanged objects: by its own policy, or by each scope's.
	Resync []resync.Policy
	// Slow says that it has been past its high-water mark for more than a moment,
	// and has not recovered yet.
	Slow bool
}

// Mutation is an object of the store that was changed in place.
type Mutation struct {
	Key     delta.Key
	Version string   // its resource version when it was stored
	Paths   []string // the parts that changed, as Go fields, at most 20 of them: Spec.Replicas
}
