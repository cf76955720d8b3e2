package engine

import (
	"cmp"
	"fmt"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Subscription is one subscriber of an [Informer].
type Subscription[T any] struct {
	*subscriber[T]
	resync    resync.Policy   // its own
	scheduled []resync.Policy // what that came down to
}

// Subscribe has tell called for each delta, one at a time, in a goroutine of its own while the informer runs: first
// for each object that is there, marked Initial, and then for what changes. The delta is shared and may be reused:
// tell must copy what it keeps, and may not change what it points to. A slow subscriber delays nobody else.
//
// While the informer runs, Subscribe waits for the subscriber's place between two batches, so that those who
// subscribe in a loop do not keep the informer from its work.
func (i *Informer[T]) Subscribe(tell func(*delta.Delta[T]), opts informer.SubscribeOptions) (*Subscription[T], error) {
	return i.subscribe(tell, opts, false)
}

// SubscribeComparing is Subscribe for somebody who wants to know what has changed since an earlier process saved the
// objects: he is told of each that is there, or was saved, how it differs, marked Initial and Remembered. Where
// nothing was saved it is Subscribe.
func (i *Informer[T]) SubscribeComparing(tell func(*delta.Delta[T]), opts informer.SubscribeOptions) (*Subscription[T], error) {
	return i.subscribe(tell, opts, i.opts.Saved != nil)
}

func (i *Informer[T]) subscribe(tell func(*delta.Delta[T]), opts informer.SubscribeOptions, saved bool) (*Subscription[T], error) {
	s, joined, err := i.register(tell, opts, saved)
	if err != nil {
		return nil, fmt.Errorf("subscribe %s to informer for %s: %w", opts.Name, i.opts.Name, err)
	}
	<-joined
	return s, nil
}

// register adds a subscription and asks the Controller to let it join, if there
// is one. joined is closed when that is done.
func (i *Informer[T]) register(tell func(*delta.Delta[T]), opts informer.SubscribeOptions, saved bool) (_ *Subscription[T], joined chan struct{}, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase == stopped {
		return nil, nil, ErrStopped
	}
	s := &Subscription[T]{subscriber: i.processor.newSubscriber(opts, tell), resync: opts.Resync}
	s.subscriber.saved = saved
	i.subscriptions[s] = struct{}{}
	s.scheduled = i.allPoliciesLocked(s)
	i.resync.change(map[uint32][]resync.Policy{s.subscriber.number: s.scheduled})
	joined = make(chan struct{})
	over := func(error) { close(joined) } // the informer ends a subscriber that has not joined
	entry := control{abandon: over, carryOut: func() {
		defer over(nil)
		i.controller.join(s.subscriber)
	}}
	if i.phase != running || !i.fifo.control(entry) {
		over(nil)
	}
	return s, joined, nil
}

// Subscriptions is how many there are.
func (i *Informer[T]) Subscriptions() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.subscriptions)
}

// IsSubscribed reports whether a subscription is of this informer, and has not ended.
func (i *Informer[T]) IsSubscribed(s *Subscription[T]) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, ours := i.subscriptions[s]
	return ours
}

// Unsubscribe ends a subscription: nothing more is told, not even what is pending. A call that is under way ends by
// itself; wait for Done, though not from that very call. Ending what has ended does nothing.
func (i *Informer[T]) Unsubscribe(s *Subscription[T]) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, ours := i.subscriptions[s]; !ours {
		return
	}
	delete(i.subscriptions, s)
	i.processor.leave(s.subscriber)
	i.resync.remove(s.subscriber.number)
}

// Name is the name from the options.
func (s *Subscription[T]) Name() string { return s.opts.Name }

// older orders subscriptions by age.
func (s *Subscription[T]) older(other *Subscription[T]) int {
	return cmp.Compare(s.subscriber.number, other.subscriber.number)
}
