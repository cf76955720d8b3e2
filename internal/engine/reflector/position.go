package reflector

// position is where a Reflector stands in the server's history.
type position struct {
	version string // of the last list, event or bookmark; empty before the first

	// gone means that the server could not serve version when last asked: it has
	// been compacted away, or this server has not heard of it yet.
	gone bool
}

// streamFrom is the version to ask for in a streaming list. Without one the stream is consistent with the newest
// state at no extra cost.
func (p position) streamFrom() string {
	if p.gone {
		return ""
	}
	return p.version
}

// exact reports whether a watch from the version tells changes only. A watch
// from no version, or from any, starts with the present objects in no order.
func (p position) exact() bool {
	return p.version != "" && p.version != "0"
}

// listFrom is the version to ask for in a list in pages. Later lists are not older than what we know. Nobody must see
// the kind go back, so a first list has to have what other Reflectors have seen. Once the version is gone, and for a
// first list after a streaming list that came to no end, only a consistent read helps, which is what an empty one
// means. Without a [Horizon] a first list is as client-go's.
func (r *Reflector[T]) listFrom() string {
	switch {
	case r.at.gone, r.outdone && !r.at.exact() && r.opts.Horizon != nil:
		return ""
	case r.at.exact():
		return r.at.version
	default:
		return r.opts.Horizon.listFrom()
	}
}
