package cache

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// pulse asks a server that says nothing whether it is there. A watch on which nothing happens is silent for a minute, and so is one
// whose server is frozen. So the server is asked once no kind has heard of it for [Options].StaleAfter.
type pulse struct {
	bound time.Duration
	heard func() time.Time // when any kind last heard the server
	ask   func(context.Context) error

	// tell says since when the server has not answered, and why; or that it has, with a zero time.
	tell func(since time.Time, why error)
}

const (
	// answerWithin is how long the server may take to answer, and askEvery how long it is left alone after it has not.
	answerWithin = 4 * time.Second
	askEvery     = time.Second
)

// run asks until ctx ends.
func (p *pulse) run(ctx context.Context) {
	last := time.Now()
	for ctx.Err() == nil {
		if heard := p.heard(); heard.After(last) {
			last = heard
			p.tell(time.Time{}, nil)
		}
		if silent := time.Since(last); silent < p.bound {
			lifecycle.Sleep(ctx, p.bound-silent)
			continue
		}
		if err := p.answer(ctx); err == nil {
			last = time.Now()
			p.tell(time.Time{}, nil)
		} else {
			p.tell(last, err)
			lifecycle.Sleep(ctx, askEvery)
		}
	}
}

// answer returns why the server gives no answer. An answer that refuses is one.
func (p *pulse) answer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	err := p.ask(ctx)
	if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown && !apierrors.IsTimeout(err) && !apierrors.IsServiceUnavailable(err) {
		return nil
	}
	return err
}

// feelPulse asks the server while the cache runs, if somebody wants to know when it is stale.
func (c *Cache) feelPulse(group *lifecycle.Group) error {
	if c.ours.StaleAfter == 0 {
		return nil
	}
	client, err := discovery.NewDiscoveryClientForConfigAndClient(c.api.plainConfig(), c.api.http)
	if err != nil {
		return fmt.Errorf("make a client to ask whether the server is there: %w", err)
	}
	p := &pulse{
		bound: c.ours.StaleAfter, heard: c.heardAt, tell: c.suspect,
		ask: func(ctx context.Context) error { return client.RESTClient().Get().AbsPath("/version").Do(ctx).Error() },
	}
	group.Guest("feel the pulse", p.run)
	return nil
}

// suspect tells all kinds what the pulse has found.
func (c *Cache) suspect(since time.Time, why error) {
	for _, k := range c.madeKinds() {
		k.core.Suspect(since, why)
	}
}

// heardAt is when any kind last heard the server.
func (c *Cache) heardAt() (newest time.Time) {
	for _, k := range c.madeKinds() {
		if at := k.core.HeardAt(); at.After(newest) {
			newest = at
		}
	}
	return newest
}
