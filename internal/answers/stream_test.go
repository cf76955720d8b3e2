package answers

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/journal"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// subjects are all that an inspector may look at. Each notes a change of an object of one kind.
var subjects = map[string]func(t *testing.T) (inspector.Subject, func(name string)){
	"operator": func(t *testing.T) (inspector.Subject, func(string)) {
		o := New(Options{Cache: t, Limits: journal.Limits{Deltas: 500}})
		notes := o.journal.Kind(toyoperator.Deployment, corev1.SchemeGroupVersion.WithKind("Deployment"))
		return o, func(name string) {
			notes.Begin()
			notes.Add(&delta.Delta[any]{Op: delta.Added, Key: delta.Key{Namespace: "demo", Name: name}, New: &corev1.Pod{}})
			notes.End()
		}
	},
	"toy": func(*testing.T) (inspector.Subject, func(string)) {
		o := toyoperator.New()
		return o, func(name string) { o.Edit(toyoperator.Demo(toyoperator.Deployment, name), "kubectl") }
	},
}

// TestStreamsOfAllSubjects follows each subject from a random place, at a random pace. A reader gets
// each delta once, in order, or hears that it is lost.
func TestStreamsOfAllSubjects(t *testing.T) {
	for name, make := range subjects {
		t.Run(name, func(t *testing.T) {
			seeds.Run(t, 20, func(t *testing.T, rng *rand.Rand) {
				subject, note := make(t)
				playStream(t, rng, subject, note)
			})
		})
	}
}

func playStream(t *testing.T, rng *rand.Rand, subject inspector.Subject, note func(string)) {
	t.Helper()
	noted := 0
	noteSome := func() {
		for range rng.IntN(700) {
			note(fmt.Sprint("n-", noted%3))
			noted++
		}
	}
	note("first")
	first := subject.Deltas(inspector.DeltaQuery{Limit: 1}).Items[0].ID
	noteSome()
	q := inspector.DeltaQuery{Kind: toyoperator.Deployment, Since: first + uint64(rng.IntN(noted+1))}
	s := subject.Follow(q)
	defer s.Close()
	last, taken, lost := q.Since, 0, 0
	take := func(most int) bool {
		deltas, gone := s.Take(most)
		if len(deltas) > most {
			t.Fatalf("%d were taken of %d", len(deltas), most)
		}
		for i := range deltas {
			if deltas[i].ID <= last {
				t.Fatalf("%d comes after %d", deltas[i].ID, last)
			}
			last = deltas[i].ID
		}
		taken, lost = taken+len(deltas), lost+int(gone)
		return len(deltas) == most
	}
	for range 5 {
		select {
		case <-s.Ready():
		default:
			t.Fatal("a stream with deltas is not ready")
		}
		for range 1 + rng.IntN(3) {
			take(1 + rng.IntN(300))
		}
		note("more")
		noted++
		noteSome()
	}
	for take(100) {
	}
	if all := noted - int(q.Since-first); taken+lost != all {
		t.Errorf("%d are taken and %d are lost, of %d", taken, lost, all)
	}
	if newest := subject.Deltas(inspector.DeltaQuery{Limit: 1}).Items[0].ID; last != newest {
		t.Errorf("the last is %d, and the newest is %d", last, newest)
	}
}

// TestAStreamFromTheStart loses nothing that was gone before it began, and what goes then.
func TestAStreamFromTheStart(t *testing.T) {
	for name, make := range subjects {
		t.Run(name, func(t *testing.T) {
			subject, note := make(t)
			for i := range 700 {
				note(fmt.Sprint(i))
			}
			s := subject.Follow(inspector.DeltaQuery{})
			if taken, lost := s.Take(10); len(taken) != 10 || lost != 0 || taken[9].Name != "209" {
				t.Fatalf("from the start come %d, and %d are lost", len(taken), lost)
			}
			for i := range 500 {
				note(fmt.Sprint(i))
			}
			if taken, lost := s.Take(1000); len(taken) != 500 || lost != 490 {
				t.Errorf("then come %d, and %d are lost", len(taken), lost)
			}
			s.Close()
		})
	}
}

// TestAFilteredStreamLosesOnlyWhatItWants has a flood of others between.
func TestAFilteredStreamLosesOnlyWhatItWants(t *testing.T) {
	for name, make := range subjects {
		t.Run(name, func(t *testing.T) {
			subject, note := make(t)
			note("wanted")
			newest := subject.Deltas(inspector.DeltaQuery{Limit: 1}).Items[0].ID
			s := subject.Follow(inspector.DeltaQuery{Name: "wanted", Since: newest})
			note("wanted")
			for range 600 {
				note("other")
			}
			note("wanted")
			if taken, lost := s.Take(10); len(taken) != 1 || lost != 1 {
				t.Errorf("%d are taken, and %d are lost", len(taken), lost)
			}
			s.Close()
		})
	}
}
