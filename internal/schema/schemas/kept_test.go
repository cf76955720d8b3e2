package schemas_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
)

// TestAKindThatIsGone has the server describe a kind no more. A server that starts may take some time
// to do so again.
func TestAKindThatIsGone(t *testing.T) {
	for name, gone := range map[string]func(s *server){
		"no document": func(s *server) { s.code = 404 },
		"no kind":     func(s *server) { s.text = strings.ReplaceAll(s.text, "Garden", "Gardener") },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t)
			all := withoutNetwork(t, s)
			compare(t, all, bySchema)
			s.set(gone)
			for passed := time.Duration(0); passed < time.Hour; passed += 10 * time.Minute {
				if err := knows(all, "Garden"); err != nil {
					t.Errorf("%s: after %v: %v", name, passed, err)
				}
				compare(t, all, bySchema)
				time.Sleep(10 * time.Minute)
			}
			if err := knows(all, "Garden"); err == nil {
				t.Errorf("%s: it is known an hour later", name)
			}
			if all.Keeps("Garden") {
				t.Errorf("%s: its type is kept an hour later", name)
			}
			compare(t, all, withoutSchema)
		})
	}
}

// TestWhatNobodyWantsIsForgotten asks for two kinds, and much later for one of them again.
func TestWhatNobodyWantsIsForgotten(t *testing.T) {
	other := formOf(gardens.WithKind("Shed"))
	other.SetAPIVersion("other.com/v1")
	for name, ask := range map[string]func(all *schemas.Kinds){
		"the server is asked for another group": func(all *schemas.Kinds) {
			if _, err := all.ObjectToTyped(other); err == nil {
				t.Error("a kind of another group is known")
			}
		},
		"the server is asked for this group": func(all *schemas.Kinds) {
			if err := knows(all, "Garden"); err != nil {
				t.Error(err)
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t)
			s.text = withShed(s.text)
			all := withoutNetwork(t, s)
			if err := knows(all, "Shed"); err != nil {
				t.Error(err)
			}
			compare(t, all, bySchema)
			time.Sleep(30 * time.Minute)
			compare(t, all, bySchema)
			s.wasAsked(t, 2)
			time.Sleep(31 * time.Minute)
			ask(all)
			s.wasAsked(t, 3)
			compare(t, all, bySchema)
			s.wasAsked(t, 3) // half an hour is not long
			if _, err := all.ObjectToTyped(formOf(gardens.WithKind("Shed"))); err != nil {
				t.Error(err)
			}
			s.wasAsked(t, 4)
			t.Log(name)
		})
	}
}

func TestAnOutageForgetsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		all := withoutNetwork(t, s)
		compare(t, all, bySchema)
		s.set(func(s *server) { s.fail = errors.New("out of order") })
		for range 30 {
			time.Sleep(10 * time.Minute)
			if err := knows(all, "Garden"); err != nil {
				t.Error(err)
			}
			compare(t, all, bySchema)
		}
	})
}

// TestAKindIsForgottenWhileTheServerIsAsked is when the server takes its time about the group of a kind
// that nobody wants any more.
func TestAKindIsForgottenWhileTheServerIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		s.text = withShed(s.text)
		all := withoutNetwork(t, s)
		if err := knows(all, "Shed"); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour - time.Second)
		s.set(func(s *server) { s.hang = true })
		group := lifecycle.New(t.Context())
		group.Guest("reconciler", func(context.Context) { compare(t, all, withoutSchema) })
		time.Sleep(1500 * time.Millisecond)
		other := formOf(gardens.WithKind("Shed"))
		other.SetAPIVersion("other.com/v1")
		if _, err := all.ObjectToTyped(other); err == nil {
			t.Error("a kind of another group is known")
		}
		group.Stop()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		s.wasAsked(t, 3)
		s.set(func(s *server) { s.hang = false })
		if err := knows(all, "Shed"); err != nil {
			t.Error(err)
		}
		s.wasAsked(t, 4)
	})
}

// TestOldTypesAreNotKept reads a document again and again, which is another one each time.
func TestOldTypesAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		all := withoutNetwork(t, s)
		for i := range 200 {
			s.set(func(s *server) { s.text += " " })
			if err := knows(all, "Garden"); err != nil {
				t.Error(err)
			}
			time.Sleep(10 * time.Minute)
			if i%50 == 49 {
				runtime.GC()
			}
		}
		s.wasAsked(t, 200)
		if kept := all.Made(); kept > 60 {
			t.Errorf("%d of 200 are kept", kept)
		}
	})
}
