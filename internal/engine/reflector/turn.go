package reflector

import "context"

// takeTurn waits until this Reflector may list. It reports false if ctx ended.
func (r *Reflector[T]) takeTurn(ctx context.Context) (taken bool) {
	r.enter(Queued)
	r.turn, taken = r.opts.Limiter.take(ctx)
	return taken
}

// keepsTurn notes that the list has brought something. If it was silent, others may be listing now, and it waits for
// them. It reports false if ctx ended.
func (r *Reflector[T]) keepsTurn(ctx context.Context) bool {
	if r.turn.flows() {
		return true
	}
	state := r.Status().State
	defer r.enter(state)
	r.enter(Queued)
	return r.turn.again(ctx)
}

// giveTurn lets others list.
func (r *Reflector[T]) giveTurn() {
	r.turn.give()
	r.turn = nil
}

// guarded is [Reflector.Cycle] under the guard.
func (r *Reflector[T]) guarded(ctx context.Context) (err error) {
	if r.opts.Guard == nil {
		return r.Cycle(ctx)
	}
	ended := false
	r.opts.Guard(ctx, func() {
		err = r.Cycle(ctx)
		ended = true
	})
	if ended {
		return err
	}
	during := r.Status().State
	if _, known := doing[during]; !known {
		during = Listing
	}
	// OnError is not called: it is for errors of the server and the network.
	err = &Error{During: during, Kind: r.opts.Kind, Version: r.at.streamFrom(), Err: ErrPanicked}
	r.noteFailure(err)
	return err
}
