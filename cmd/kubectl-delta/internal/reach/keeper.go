package reach

import "context"

// Keeper holds one Connection for those who need it for long, and opens another if the first
// is broken: the leader may have changed by then.
type Keeper struct {
	open func(context.Context) (*Connection, error)
	// turn holds the Connection, or nil. A caller that has taken it out may open or close one; the
	// others wait. A lock would have to be held while that takes its time.
	turn chan *Connection
}

// Keep returns a Keeper, which opens nothing yet.
func Keep(open func(context.Context) (*Connection, error)) *Keeper {
	k := &Keeper{open: open, turn: make(chan *Connection, 1)}
	k.turn <- nil
	return k
}

// Connection returns a Connection that was not broken a moment ago.
func (k *Keeper) Connection(ctx context.Context) (c *Connection, err error) {
	select {
	case c = <-k.turn:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { k.turn <- c }()
	if c != nil && !c.alive() {
		_ = c.Close() // it is broken
		c = nil
	}
	if c == nil {
		c, err = k.open(ctx)
	}
	return c, err
}

// Drop closes the Connection, so that the next is a new one.
func (k *Keeper) Drop() {
	if c := <-k.turn; c != nil {
		_ = c.Close() // nobody wants it any more
	}
	k.turn <- nil
}
