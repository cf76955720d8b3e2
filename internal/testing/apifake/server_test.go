package apifake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func object(name string) *Object {
	return &Object{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name}}
}

// filled is a server with writes 2 to 5. At their end there are a and c.
func filled() *Server {
	s := New(Options{})
	s.Put(object("a"))
	s.Put(object("b"))
	s.Put(object("c"))
	s.Delete("n", "b")
	return s
}

func list(t *testing.T, s *Server, o metav1.ListOptions) string {
	t.Helper()
	l, err := s.List(t.Context(), o)
	if err != nil {
		return string(apierrors.ReasonForError(err))
	}
	var b strings.Builder
	for i := range l.Items {
		fmt.Fprintf(&b, "%s@%s ", l.Items[i].Name, l.Items[i].ResourceVersion)
	}
	return b.String() + "at " + l.ResourceVersion
}

func open(t *testing.T, s *Server, o metav1.ListOptions) *Stream {
	t.Helper()
	st, err := s.Watch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	return st
}

// take is what a watch brings until it ends or is silent for so long.
func take(t *testing.T, st *Stream, silence time.Duration) string {
	t.Helper()
	var b strings.Builder
	for {
		ctx, cancel := context.WithTimeout(t.Context(), silence)
		event, err := st.Next(ctx)
		cancel()
		switch {
		case errors.Is(err, io.EOF):
			return b.String() + "end"
		case err != nil:
			return b.String() + "silence"
		}
		switch o := event.Object.(type) {
		case *Object:
			fmt.Fprintf(&b, "%s %s@%s, ", event.Type, o.Name, o.ResourceVersion)
		case *metav1.Status:
			fmt.Fprintf(&b, "%s %s, ", event.Type, o.Reason)
		}
	}
}

func TestListsOfThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := filled()
		exact := metav1.ListOptions{ResourceVersion: "3", ResourceVersionMatch: metav1.ResourceVersionMatchExact}
		const then = "a@2 b@3 at 3"
		if got := list(t, s, exact); got != then {
			t.Errorf("from the cache: %s", got)
		}
		s.Restart()
		if got := list(t, s, exact); got != then {
			t.Errorf("from etcd: %s", got)
		}
		s.Compact()
		if got := list(t, s, exact); got != "Expired" {
			t.Errorf("after the compaction: %s", got)
		}
		if got := list(t, s, metav1.ListOptions{ResourceVersion: "3"}); got != "a@2 c@4 at 5" {
			t.Errorf("not older than 3: %s", got)
		}
		if got := list(t, s, metav1.ListOptions{ResourceVersion: "3", Limit: 1}); got != "Expired" {
			t.Errorf("with a limit: %s", got)
		}
	})
}

func TestWatchesFromThePastAndTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := filled()
		if got := take(t, open(t, s, metav1.ListOptions{ResourceVersion: "3"}), time.Second); got != "ADDED c@4, DELETED b@5, silence" {
			t.Errorf("from 3: %s", got)
		}
		future := open(t, s, metav1.ListOptions{ResourceVersion: "6", AllowWatchBookmarks: true})
		s.Put(object("d"))
		s.Put(object("e"))
		if got := take(t, future, time.Second); got != "ADDED e@7, silence" {
			t.Errorf("from 6: %s", got)
		}
		s.Forget()
		if got := take(t, open(t, s, metav1.ListOptions{ResourceVersion: "6"}), time.Second); got != "ERROR Expired, end" {
			t.Errorf("from 6 once that is forgotten: %s", got)
		}
	})
}

func TestAServerThatWentBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		s.Put(object("a"))
		backup := s.Backup()
		s.Put(object("b"))
		s.Put(object("c"))
		s.Restore(backup)
		if got := list(t, s, metav1.ListOptions{}); got != "a@2 b@3 c@4 at 4" {
			t.Errorf("the server that runs has %s", got)
		}
		s.Restart()
		if got := list(t, s, metav1.ListOptions{}); got != "a@2 at 2" {
			t.Errorf("the new server has %s", got)
		}
		st := open(t, s, metav1.ListOptions{ResourceVersion: "4", AllowWatchBookmarks: true})
		s.Put(object("d"))
		if got := take(t, st, 20*time.Minute); got != "silence" {
			t.Errorf("a watch from the lost future brings %s", got)
		}
	})
}

func TestWaitingForAVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, began := filled(), time.Now()
		if got := list(t, s, metav1.ListOptions{ResourceVersion: "6"}); got != "Timeout" || time.Since(began) != patience {
			t.Errorf("%s after %v", got, time.Since(began))
		}
		time.AfterFunc(time.Second, func() { s.Skip(1) })
		if got := list(t, s, metav1.ListOptions{ResourceVersion: "6"}); got != "a@2 c@4 at 6" {
			t.Errorf("the version comes in time: %s", got)
		}
	})
}

func TestPages(t *testing.T) {
	s := filled()
	first, err := s.List(t.Context(), metav1.ListOptions{Limit: 1})
	if err != nil || first.Continue == "" || *first.RemainingItemCount != 1 {
		t.Fatalf("the first page is %+v, %v", first, err)
	}
	s.Put(object("d"))
	if got := list(t, s, metav1.ListOptions{Limit: 1, Continue: first.Continue}); got != "c@4 at 5" {
		t.Errorf("the second page is %s", got)
	}
	s.Forget()
	_, err = s.List(t.Context(), metav1.ListOptions{Limit: 1, Continue: first.Continue})
	var answer apierrors.APIStatus
	if !apierrors.IsResourceExpired(err) || !errors.As(err, &answer) {
		t.Fatalf("the second page comes late: %v", err)
	}
	if got := list(t, s, metav1.ListOptions{Continue: answer.Status().Continue}); got != "c@4 d@6 at 6" {
		t.Errorf("with the other token it is %s", got)
	}
}

func TestBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, seconds := filled(), int64(90)
		o := metav1.ListOptions{ResourceVersion: "5", AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
		if got := take(t, open(t, s, o), time.Hour); got != "end" {
			t.Errorf("without news: %s", got)
		}
		time.AfterFunc(time.Second, func() { s.Put(object("a")) })
		if got := take(t, open(t, s, o), time.Hour); got != "MODIFIED a@6, BOOKMARK @6, BOOKMARK @6, end" {
			t.Errorf("with news: %s", got)
		}
	})
}

func TestStreamingLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, yes := filled(), true
		o := metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true}
		st := open(t, s, o)
		s.Put(object("d"))
		s.Forget() // what has begun is not disturbed
		if got := take(t, st, time.Second); got != "ADDED a@2, ADDED c@4, BOOKMARK @5, ADDED d@6, silence" {
			t.Errorf("the list is %s", got)
		}
		s = New(Options{NoStreams: true})
		if _, err := s.Watch(t.Context(), o); !apierrors.IsInvalid(err) {
			t.Errorf("a server that has none says %v", err)
		}
		s.Put(object("a"))
		if got := take(t, open(t, s, metav1.ListOptions{AllowWatchBookmarks: true}), time.Second); got != "ADDED a@2, silence" {
			t.Errorf("what came before streaming lists is %s", got)
		}
	})
}

func TestSelectedObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		red := object("a")
		red.Labels = map[string]string{"color": "red"}
		s.Put(object("b"))
		o := metav1.ListOptions{LabelSelector: "color=red", ResourceVersion: "2"}
		st := open(t, s, o)
		s.Put(red)
		s.Put(object("a"))
		if got := take(t, st, time.Second); got != fmt.Sprint(watch.Added, " a@3, ", watch.Deleted, " a@4, silence") {
			t.Errorf("the watch brings %s", got)
		}
	})
}

func TestTheEndOfAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := filled()
		st := open(t, s, metav1.ListOptions{ResourceVersion: "5"})
		go s.Restart()
		if got := take(t, st, time.Hour); got != "end" {
			t.Errorf("a restart: %s", got)
		}
		closed := open(t, s, metav1.ListOptions{ResourceVersion: "5"})
		go closed.Close()
		if got := take(t, closed, time.Hour); got != "end" || len(s.streams) != 0 {
			t.Errorf("the client closes: %s, %d streams", got, len(s.streams))
		}
	})
}
