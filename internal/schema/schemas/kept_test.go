package schemas_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// TestWhatTheServerSaidLastCounts has the server describe a kind no more, or nothing at all. A server that starts may take some
// time to do so again.
func TestWhatTheServerSaidLastCounts(t *testing.T) {
	for name, gone := range map[string]func(s *server){
		"no document": func(s *server) { s.code = 404 },
		"no kind":     func(s *server) { s.text = strings.ReplaceAll(s.text, "Garden", "Gardener") },
		"an outage":   func(s *server) { s.fail = errors.New("out of order") },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t)
			all := withoutNetwork(t, s)
			compare(t, all, bySchema)
			right := s.text
			s.set(gone)
			for range 30 {
				time.Sleep(10 * time.Minute)
				if err := knows(all, "Garden"); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				compare(t, all, bySchema)
			}
			s.wasAsked(t, 31)
			s.set(func(s *server) { s.code, s.fail, s.text = 0, nil, withFreeFields(right) })
			time.Sleep(time.Minute)
			if err := path.Check(formOf(gardens.WithKind("Garden")), all, "spec.free.x"); err != nil {
				t.Errorf("%s: what the server says when it is back does not count: %v", name, err)
			}
		})
	}
}
