package reflector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// errPoison is the error of an object that can't be decoded, and whose key can be read.
var errPoison = listwatch.WithKey(errors.New("bytes make no sense"), delta.Key{Name: "poison"})

// plainList is a server that has two objects, and one can't be decoded.
type plainList struct{}

func (plainList) List(context.Context, metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	return listwatch.Page[faulty.Thing]{Version: "5", Items: []faulty.Thing{{Name: "a", Version: "1"}}, Broken: []error{errPoison}}, nil
}

func (plainList) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return nil, errors.New("not in this test")
}

// eachList shows them one by one.
type eachList struct{ plainList }

func (eachList) Each(_ context.Context, _ metav1.ListOptions, do func(listwatch.Item[faulty.Thing])) (listwatch.Page[faulty.Thing], error) {
	do(listwatch.Item[faulty.Thing]{Obj: faulty.Thing{Name: "a", Version: "1"}})
	do(listwatch.Item[faulty.Thing]{Err: errPoison})
	return listwatch.Page[faulty.Thing]{Version: "5"}, nil
}

// streamList shows them as a streaming list, in which another one goes that can't be decoded either.
type streamList struct {
	plainList
	events []listwatch.Event[faulty.Thing]
}

func newStreamList() *streamList {
	gone := listwatch.WithKey(errors.New("bytes make no sense"), delta.Key{Name: "gone"})
	return &streamList{events: []listwatch.Event[faulty.Thing]{
		{Delta: delta.Delta[faulty.Thing]{Op: delta.Added, New: faulty.Thing{Name: "a", Version: "1"}, Version: "1"}},
		{Err: errPoison},
		{Err: gone},
		{Delta: delta.Delta[faulty.Thing]{Op: delta.Deleted}, Err: gone},
		{Delta: delta.Delta[faulty.Thing]{Version: "5"}, InitialEnd: true},
	}}
}

func (s *streamList) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	return s, nil
}

func (s *streamList) Next(ctx context.Context) (listwatch.Event[faulty.Thing], error) {
	if len(s.events) == 0 {
		<-ctx.Done()
		return listwatch.Event[faulty.Thing]{}, ctx.Err()
	}
	event := s.events[0]
	s.events = s.events[1:]
	return event, nil
}

func (s *streamList) Close() {}

// takesOne takes a list and ends.
type takesOne struct {
	stop context.CancelFunc
	took func(objs []faulty.Thing, r Replacement)
}

func (s takesOne) Push(delta.Delta[faulty.Thing], string) error { return nil }
func (s takesOne) Bookmark(string) error                        { return nil }
func (s takesOne) Replace(objs []faulty.Thing, r Replacement) error {
	s.took(objs, r)
	s.stop()
	return nil
}

// An object that can't be decoded, and whose key can be read, is there. It hides nobody else's deletion.
func TestAnUnreadableObjectHidesNoOther(t *testing.T) {
	for name, server := range map[string]listwatch.ListWatcher[faulty.Thing]{
		"a list": plainList{}, "a list of one after the other": eachList{}, "a streaming list": newStreamList(),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			took := ""
			sink := takesOne{stop, func(objs []faulty.Thing, r Replacement) {
				took = fmt.Sprintf("%v, refused %v, partial %t", objs, slices.Sorted(func(yield func(string) bool) {
					for _, key := range r.Refused {
						if !yield(key.String()) {
							return
						}
					}
				}), r.Partial)
			}}
			skipped := 0
			opts := Options[faulty.Thing]{OnSkip: func(context.Context, error) { skipped++ }}
			if _, streams := server.(*streamList); !streams {
				opts.Lists = informer.PagesOnly
			}
			if err := New(server, sink, faulty.KeyOf, opts).Run(ctx); err != nil {
				t.Error(err)
			}
			if want := "[a@1], refused [poison], partial false"; took != want || skipped == 0 {
				t.Errorf("the sink took %s, and %d were reported; want %s", took, skipped, want)
			}
		})
	}
}
