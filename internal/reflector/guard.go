package reflector

import "context"

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
