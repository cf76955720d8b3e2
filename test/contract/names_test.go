package contract

import (
	"fmt"
	"slices"
	"strconv"
)

// names are the names of the versions of a script's writes. A write may be lost, or the
// server may not know it yet. Requests can still use the name of such a write, but no version
// in an answer gets it.
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
	number, _ := strconv.ParseInt(version, 10, 64) // the error of a failed write has been reported
	n.known = append(slices.Clone(n.known), named{name: n.upcoming(), version: number, unknown: n.blind})
	n.count++
}

// after notes the effect of an event. backup is the version of the backup, if there is one.
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
