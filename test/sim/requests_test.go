package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// ListWithContext serves a list request. If it has a limit, it gets a page.
func (s *server) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	if err := s.admit(ctx); err != nil {
		return nil, err
	}
	f := s.takeFault()
	if f == faultSlow {
		if err := sleep(ctx, 3*time.Second); err != nil {
			return nil, err
		}
	}
	if err := f.err(); err != nil && f < faultSlow {
		return nil, err
	}
	if stale := s.staleFor(o); stale != nil {
		s.log.listed(stale.items, formatVersion(stale.version))
		return listOf(s.cfg.seed, stale.items, formatVersion(stale.version)), nil
	}
	if s.takeExpired(o.Continue) {
		return nil, faultExpired.err()
	}
	isQuestion := o.Limit == 1 // this request only asks for the version
	if o.Limit > 0 && s.cfg.pageCap > 0 {
		o.Limit = min(o.Limit, int64(s.cfg.pageCap))
	}
	page, err := s.api.List(ctx, o)
	if err != nil {
		return nil, err
	}
	var items []*corev1.ConfigMap
	for i := range page.Items {
		items = append(items, configMap(&page.Items[i]))
	}
	list := listOf(s.cfg.seed, items, page.ResourceVersion)
	list.ListMeta = page.ListMeta
	if !isQuestion {
		s.noteSent(o.Continue, list, items, f == faultPageExpired)
	}
	return list, nil
}

// staleFor returns the state for a list from a server that lags behind.
func (s *server) staleFor(o metav1.ListOptions) *snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.ResourceVersion != "0" || o.Continue != "" {
		return nil
	}
	return s.stale
}

func (s *server) takeExpired(token string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	expired := s.expired[token]
	delete(s.expired, token)
	return expired
}

// noteSent notes a page. With the last page it notes the whole list.
func (s *server) noteSent(token string, list *corev1.ConfigMapList, items []*corev1.ConfigMap, expires bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Concat(s.pages[token], items)
	if list.Continue == "" {
		s.log.listed(all, list.ResourceVersion)
		return
	}
	s.pages[list.Continue] = all
	if expires {
		s.expired[list.Continue] = true
	}
}

// listOf returns a list in an order that depends only on the seed, because a server promises
// no order.
func listOf(seed uint64, items []*corev1.ConfigMap, version string) *corev1.ConfigMapList {
	list := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, o := range shuffled(seed, slices.Clone(items)) {
		list.Items = append(list.Items, *o.DeepCopy())
	}
	return list
}

// parseVersion treats an empty version like "0", which means any version.
func parseVersion(version string) (int64, error) {
	if version == "" {
		return 0, nil
	}
	v, err := strconv.ParseInt(version, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("parse resource version %q: %w", version, err)
	}
	return v, nil
}

// WatchWithContext serves a watch, or a streaming list and the watch that follows it.
func (s *server) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	if err := s.admit(ctx); err != nil {
		return nil, err
	}
	f := s.takeFault()
	if f == faultSlow {
		if err := sleep(ctx, 3*time.Second); err != nil {
			return nil, err
		}
	}
	if err := f.err(); err != nil && f < faultSlow {
		return nil, err
	}
	from, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	streaming := o.SendInitialEvents != nil && *o.SendInitialEvents
	if from == 0 && !streaming {
		return nil, fmt.Errorf("BUG: a client of this server never watches without a list")
	}
	w, err := s.api.Watch(ctx, o)
	if err != nil {
		return nil, err
	}
	// Servers have two ways to say that they can't.
	if refused := w.Refused(); refused != nil && (s.cfg.seed+uint64(from/4))%2 == 0 {
		return nil, refused
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := newStream(ctx, s, w, o)
	st.fault, st.from, st.following = f, from, !streaming
	if !streaming && s.lost && from > s.version {
		// A real server would say nothing, and client-go would never know. This server knows that
		// the client has to list again.
		st.end(faultExpired)
	}
	if s.live != nil {
		s.live.end(faultNone)
	}
	s.live = st
	st.start()
	return st, nil
}

// sleep waits for d, or for ctx to end.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
