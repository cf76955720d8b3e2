package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/record"
)

const (
	// If the server does not answer, an Event is tried again for about two minutes. The queue
	// fills up meanwhile, and Events that do not fit are dropped.
	attempts = 10
	firstGap = 500 * time.Millisecond
	maxGap   = 30 * time.Second
)

// handle calls the watchers with an Event, and writes it.
func (b *Broadcaster) handle(ctx context.Context, event *corev1.Event) {
	b.mu.Lock()
	sink, watchers := b.sink, b.watchers
	b.mu.Unlock()
	for _, w := range watchers {
		copied := *event
		w.tell(&copied)
	}
	if sink == nil {
		b.drop(event, unreachable, errors.New("no sink is set, so there is nowhere to write Events"))
		return
	}
	result, err := b.correlator.EventCorrelate(event)
	switch {
	case result != nil && result.Skip:
		b.drop(event, rateLimited, nil)
		return
	case err != nil: // the patch can't be made, but the Event can be created
		result = &record.EventCorrelateResult{Event: event}
	}
	how, err := b.write(ctx, sink, result)
	if err != nil {
		b.drop(event, how, err)
		return
	}
	b.count(how)
}

// write tries until the server answers or ctx has ended.
func (b *Broadcaster) write(ctx context.Context, sink record.EventSink, result *record.EventCorrelateResult) (outcome, error) {
	gap := firstGap
	for attempt := 1; ; attempt++ {
		how, err := b.writeOnce(sink, result)
		if err == nil || how == refused {
			return how, err
		}
		if attempt == attempts {
			return unreachable, fmt.Errorf("gave up after %d attempts: %w", attempts, err)
		}
		timer := time.NewTimer(gap)
		select {
		case <-ctx.Done():
			timer.Stop()
			return stopped, err
		case <-timer.C:
		}
		gap = min(2*gap, maxGap)
	}
}

// writeOnce patches the earlier Event if this one only raises its count. Otherwise it creates
// the Event. It also creates it if the earlier one is gone: the server forgets Events after
// an hour.
func (b *Broadcaster) writeOnce(sink record.EventSink, result *record.EventCorrelateResult) (outcome, error) {
	if result.Event.Count > 1 && len(result.Patch) > 0 {
		there, err := sink.Patch(result.Event, result.Patch)
		if !apierrors.IsNotFound(err) {
			return b.answer(there, aggregated, err)
		}
	}
	event := result.Event.DeepCopy()
	event.ResourceVersion = "" // the version of the Event that is gone
	there, err := sink.Create(event)
	return b.answer(there, written, err)
}

// answer tells the correlator what the server has. It also separates the errors that another
// attempt would meet again from those that may pass.
func (b *Broadcaster) answer(there *corev1.Event, how outcome, err error) (outcome, error) {
	if err == nil {
		b.correlator.UpdateState(there)
		return how, nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || mayPass(err) {
		return unreachable, err
	}
	return refused, err
}

// mayPass reports whether the error says that the server can't answer now, but may later.
func mayPass(err error) bool {
	return apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
}
