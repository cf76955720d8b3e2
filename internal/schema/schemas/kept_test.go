package schemas_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
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
