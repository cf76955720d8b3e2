package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// entry has the parts of a line of the operator's log that the demo shows.
type entry struct {
	Level   string    `json:"level"`
	Time    time.Time `json:"ts"`
	Message string    `json:"msg"`
	Error   string    `json:"error"`

	// These name the object in every line that a reconcile writes.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`

	outcome `json:"-"` // of a line that ends a reconcile
}

// outcome says why a reconcile was called, and what it did.
type outcome struct {
	Changes    []cause  `json:"changes"`
	Incomplete string   `json:"incomplete"`
	Steps      string   `json:"steps"`
	Wrote      []string `json:"wrote"`
	Took       string   `json:"took"`
}

// cause is one change that led to a reconcile.
type cause struct {
	Change string   `json:"change"`
	Diff   []string `json:"diff"`
	More   int      `json:"more"`
}

// reconciled is the message of the line at the end of a reconcile.
const reconciled = "Reconciled"

// working is the message of controller-runtime's line after the controller has listed
// everything.
const working = "Starting workers"

// parse reads a line of JSON. Lines that are not about a reconcile have other fields, which
// may have the same names.
func parse(line []byte) (entry, error) {
	var e entry
	err := json.Unmarshal(line, &e)
	if err == nil && e.Message == reconciled {
		err = json.Unmarshal(line, &e.outcome)
	}
	if err != nil {
		return entry{}, fmt.Errorf("read a line of the operator's log: %w", err)
	}
	return e, nil
}

// object is the Site that the line is about.
func (e entry) object() string {
	if e.Namespace == "" {
		return e.Name
	}
	return e.Namespace + "/" + e.Name
}

// foldable reports whether the call may be counted in place of shown: it wrote nothing, and it
// knew why it was called, and the reason was not a change of the Site itself.
func (e entry) foldable() bool {
	if len(e.Wrote) > 0 || e.Incomplete != "" || len(e.Changes) == 0 {
		return false
	}
	return !slices.ContainsFunc(e.Changes, func(c cause) bool { return strings.HasPrefix(c.Change, "Primary ") })
}

// clue describes a reconcile that a chapter waits for. An empty field matches everything.
type clue struct {
	object string // the Site that was reconciled
	change string // the beginning of a change that led to it
	path   string // the beginning of a path that this change touches
	wrote  string // an object that was written
}

// fits reports whether one reconcile matches all fields.
func (c clue) fits(e entry) bool {
	if e.Message != reconciled || c.object != "" && c.object != e.object() {
		return false
	}
	if c.wrote != "" && !slices.Contains(e.Wrote, c.wrote) {
		return false
	}
	return slices.ContainsFunc(e.Changes, func(because cause) bool {
		return strings.HasPrefix(because.Change, c.change) && c.touched(because)
	})
}

func (c clue) touched(because cause) bool {
	return c.path == "" || slices.ContainsFunc(because.Diff, func(edit string) bool {
		return strings.HasPrefix(strings.TrimLeft(edit, "+-"), c.path)
	})
}
