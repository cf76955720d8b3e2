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
	// An Event that meets no answer is tried again for about two minutes. The queue fills
	// up meanwhile, and what does not fit is dropped.
	attempts = 10
	firstGap = 500 * time.Millisecond
	maxGap   = 30 * time.Second
)

// handle tells the watchers of an Event, and writes it.
func (b *Broadcaster) handle(ctx context.Context, event *corev1.Event) {
	b.mu.Lock()
	sink, watchers := b.sink, b.watchers
	b.mu.Unlock()
	for _, w := range watchers {
		copied := *event
		w.tell(&copied)
	}
	if sink == nil {
		b.drop(event, unreachable, errors.New("nobody has said where to write Events"))
		return
	}
	result, err := b.correlator.EventCorrelate(event)
	switch {
	case result != nil && result.Skip:
		b.drop(event, rateLimited, nil)
		return
	case err != nil: // the patch can't be made; the Event can
		result = &record.EventCorrelateResult{Event: event}
	}
	how, err := b.write(ctx, sink, result)
	if err != nil {
		b.drop(event, how, err)
		return
	}
	b.count(how)
}

// write tries until there is an answer, or ctx has ended.
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

// writeOnce patches the Event that this one counts in, and creates it if there is none,
// or none any more: the server forgets Events after an hour.
func (b *Broadcaster) writeOnce(sink record.EventSink, result *record.EventCorrelateResult) (outcome, error) {
	if result.Event.Count > 1 && len(result.Patch) > 0 {
		there, err := sink.Patch(result.Event, result.Patch)
		if !apierrors.IsNotFound(err) {
			return b.answer(there, aggregated, err)
		}
	}
	event := result.Event.DeepCopy()
	event.ResourceVersion = "" // of the one that is gone
	there, err := sink.Create(event)
	return b.answer(there, written, err)
}

// answer tells the correlator what the server has, and an error apart that another
// attempt would meet again.
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

// mayPass reports whether the server has said that it can't now.
func mayPass(err error) bool {
	return apierrors.IsTooManyRequests(err) || apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err)
}
