package sim

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// ListWithContext serves a list request: a page of it where a limit is asked for.
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
	s.mu.Lock()
	defer s.mu.Unlock()
	state, err := s.listedLocked(o)
	if err != nil {
		return nil, err
	}
	page := state.items
	list := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: formatVersion(state.version)}}
	limit := int(o.Limit)
	if limit > 0 && s.cfg.pageCap > 0 {
		limit = min(limit, s.cfg.pageCap)
	}
	if limit > 0 && limit < len(page) {
		page = page[:limit]
		state.items = state.items[limit:]
		list.Continue = fmt.Sprint(len(s.pages), "/", state.version)
		if f != faultPageExpired {
			s.pages[list.Continue] = state
		}
	} else {
		s.log.listed(state.all, list.ResourceVersion)
	}
	for _, object := range page {
		list.Items = append(list.Items, *object.DeepCopy())
	}
	return list, nil
}

func (s *server) listedLocked(o metav1.ListOptions) (snapshot, error) {
	if o.Continue != "" {
		state, ok := s.pages[o.Continue]
		delete(s.pages, o.Continue)
		if !ok {
			return snapshot{}, faultExpired.err()
		}
		return state, nil
	}
	from, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return snapshot{}, err
	}
	if from > s.version {
		return snapshot{}, tooLarge()
	}
	if o.ResourceVersion == "0" && s.stale != nil {
		items := shuffled(s.cfg.seed, slices.Collect(maps.Values(s.stale.objects)))
		return snapshot{items: items, all: items, version: s.stale.version}, nil
	}
	items := s.itemsLocked()
	return snapshot{items: items, all: items, version: s.version}, nil
}

// itemsLocked is every object, in an order that depends on the seed and version
// alone.
func (s *server) itemsLocked() []*corev1.ConfigMap {
	return shuffled(s.cfg.seed+uint64(s.version), slices.Collect(maps.Values(s.objects)))
}

// parseVersion treats no version and "0" alike: any will do.
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

// WatchWithContext serves a watch, or a streaming list and the watch it goes on as.
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
	s.mu.Lock()
	defer s.mu.Unlock()
	st := newStream(ctx, s, o)
	switch {
	case streaming && !s.cfg.streaming:
		return nil, unsupportedStream()
	case streaming && from > s.version:
		return nil, tooLarge()
	case streaming:
		st.initial = s.itemsLocked()
		st.fault = f
		st.next = s.dropped + len(s.history)
		st.from = s.version
	case from == 0:
		return nil, fmt.Errorf("BUG: a client of this server never watches without a list")
	case from < s.compacted || from > s.version:
		// The real server says so in either of two ways.
		if (s.cfg.seed+uint64(s.version/4))%2 == 0 {
			return nil, faultExpired.err()
		}
		st.fault = faultExpired
	default:
		later := slices.IndexFunc(s.history, func(c change) bool { return c.version > from })
		if later < 0 {
			later = len(s.history)
		}
		st.next = s.dropped + later
		st.following = true
		st.from = from
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
