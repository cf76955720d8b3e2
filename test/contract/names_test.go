package contract

import (
	"fmt"
	"slices"
	"strconv"
)

// names is what the versions of a script's writes are called. A write that was lost, or
// that the server does not know of yet, has a name for who asks for its version, and is
// what no version of an answer is called after.
type names struct {
	known []named
	blind bool // the server hears of nothing
	count int
}

type named struct {
	name          string
	version       int64
	lost, unknown bool
}

func (n *names) upcoming() string { return fmt.Sprint("w", n.count+1) }

func (n *names) add(version string) {
	number, _ := strconv.ParseInt(version, 10, 64) // that of a failed write has been complained about
	n.known = append(slices.Clone(n.known), named{name: n.upcoming(), version: number, unknown: n.blind})
	n.count++
}

// after puts down what an event has done, where the backup, if there is one, was taken at
// the given version.
func (n *names) after(e event, backup int64) {
	known := slices.Clone(n.known)
	if e == restore || e == restart && n.blind {
		for i := range known {
			known[i].lost = known[i].lost || !known[i].unknown && known[i].version > backup
			known[i].unknown = false
		}
	}
	n.known, n.blind = known, e == restoreBelow || n.blind && e != restart && e != restore
}

// version is the number behind a name in a script.
func (n *names) version(name string) string {
	var last int64
	for _, known := range n.known {
		if known.name == name {
			return strconv.FormatInt(known.version, 10)
		}
		last = max(last, known.version)
	}
	if name == "future" {
		return strconv.FormatInt(last+1_000_000, 10)
	}
	return name
}

// of is the name of the last write up to a version.
func (n *names) of(version string) string {
	number, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return strconv.Quote(version)
	}
	last := named{name: "before"}
	for _, known := range n.known {
		if known.version <= number && known.version >= last.version && !known.lost && !known.unknown {
			last = known
		}
	}
	return last.name
}
