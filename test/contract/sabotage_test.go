package contract

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"
)

// saboteur is the fake with one fault.
type saboteur struct {
	fake
	onList  func(f fake, o metav1.ListOptions) (metav1.ListOptions, error)
	onWatch func(f fake, o metav1.ListOptions) (metav1.ListOptions, error)
	onEvent func(e *apiwatch.Event) error
	atEnd   func() *apiwatch.Event
}

func (s saboteur) list(ctx context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	if s.onList != nil {
		var err error
		if o, err = s.onList(s.fake, o); err != nil {
			return nil, err
		}
	}
	return s.fake.list(ctx, o)
}

func (s saboteur) watch(ctx context.Context, o metav1.ListOptions) (stream, error) {
	if s.onWatch != nil {
		var err error
		if o, err = s.onWatch(s.fake, o); err != nil {
			return nil, err
		}
	}
	st, err := s.fake.watch(ctx, o)
	if err != nil {
		return nil, err
	}
	return &sabotagedStream{stream: st, by: s, marked: o.AllowWatchBookmarks}, nil
}

type sabotagedStream struct {
	stream
	by     saboteur
	marked bool
}

func (s *sabotagedStream) Next(ctx context.Context) (apiwatch.Event, error) {
	e, err := s.stream.Next(ctx)
	switch {
	case err == nil && s.by.onEvent != nil:
		err = s.by.onEvent(&e)
		return e, err
	case errors.Is(err, io.EOF) && s.by.atEnd != nil && s.marked:
		s.marked = false
		return *s.by.atEnd(), nil
	}
	return e, err
}

func number(version string) int64 {
	n, _ := strconv.ParseInt(version, 10, 64)
	return n
}

var sabotages = map[string]saboteur{
	"a watch from the future is refused": {onWatch: func(f fake, o metav1.ListOptions) (metav1.ListOptions, error) {
		if number(o.ResourceVersion) > f.Version() {
			return o, apierrors.NewResourceExpired("from the future")
		}
		return o, nil
	}},
	"a limit with a version is taken for not older than": {onList: func(_ fake, o metav1.ListOptions) (metav1.ListOptions, error) {
		if o.Limit > 0 && number(o.ResourceVersion) > 0 && o.ResourceVersionMatch == "" {
			o.ResourceVersionMatch = notOlderThan
		}
		return o, nil
	}},
	"any version is as good as 0": {onList: func(_ fake, o metav1.ListOptions) (metav1.ListOptions, error) {
		if o.ResourceVersionMatch == notOlderThan {
			o.ResourceVersion = "0"
		}
		return o, nil
	}},
	"a limit is kept for 0": {onList: func(_ fake, o metav1.ListOptions) (metav1.ListOptions, error) {
		if o.ResourceVersion == "0" {
			o.ResourceVersion = ""
		}
		return o, nil
	}},
	"a watch that ends says where": {atEnd: func() *apiwatch.Event {
		return &apiwatch.Event{Type: apiwatch.Bookmark, Object: &object{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1"}}}
	}},
	"a streaming list has no end": {onEvent: func(e *apiwatch.Event) error {
		if o, ok := e.Object.(*object); ok && e.Type == apiwatch.Bookmark {
			o.Annotations = nil
		}
		return nil
	}},
	"what is forgotten ends a watch without a word": {onEvent: func(e *apiwatch.Event) error {
		if e.Type == apiwatch.Error {
			return io.EOF
		}
		return nil
	}},
	"what is deleted has its old version": {onEvent: func(e *apiwatch.Event) error {
		if o, ok := e.Object.(*object); ok && e.Type == apiwatch.Deleted {
			o.ResourceVersion = "100"
		}
		return nil
	}},
}

// TestScriptsBite plays the scripts on fakes with a fault. The correct fake does what the
// real server does. So a script that shows a difference from the correct fake would also show
// it from the real server.
func TestScriptsBite(t *testing.T) {
	for name, s := range sabotages {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			for _, one := range table() {
				honest := playFake(t, one, func(f fake) server { return f })
				spoiled := playFake(t, one, func(f fake) server {
					s.fake = f
					return s
				})
				if !slices.Equal(honest.lines, spoiled.lines) {
					t.Logf("script %q shows it after %v", one.name, time.Since(began))
					return
				}
			}
			t.Error("no script shows it")
		})
	}
}
