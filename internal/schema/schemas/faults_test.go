package schemas_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
)

// shed is another kind beside Garden.
const shed = `"com.example.v1.Shed": {
	"type": "object", "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Shed"}],
	"properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "spec": {"type": "object", "properties": {"roof": {"type": "string"}}}}},`

func withShed(text string) string {
	return strings.Replace(text, `"schemas": {`, `"schemas": {`+shed, 1)
}

func knows(all *schemas.Kinds, kind string) error {
	_, err := all.TypeOf(gardens.WithKind(kind))
	return err
}

// TestAnswersThatAreOfNoUse has the server answer in each wrong way, and then well. The error
// says what was wrong, for a minute.
func TestAnswersThatAreOfNoUse(t *testing.T) {
	for problem, wrong := range map[string]func(s *server){
		"ask the server for the schemas of example.com/v1: the server answers 503 Service Unavailable": func(s *server) { s.code = 503 },
		"the server answers 403 Forbidden":               func(s *server) { s.code = 403 },
		"the server answers 404 Not Found":               func(s *server) { s.code = 404 },
		"there is '<' instead of '{'":                    func(s *server) { s.text = "<html>" },
		"unexpected EOF":                                 func(s *server) { s.text = s.text[:len(s.text)/2] },
		"the document has more than 33554432 bytes":      func(s *server) { s.text = strings.Repeat(" ", 33<<20) },
		"look for the type of a Garden: the server does": func(s *server) { s.text = "{}" },
		"the document has no definition io.k8s.nowhere": func(s *server) {
			s.text = strings.ReplaceAll(s.text, "schemas/io.k8s.apimachinery", "schemas/io.k8s.nowhere")
		},
		"connection refused":        func(s *server) { s.fail = errors.New("connection refused") },
		"context deadline exceeded": func(s *server) { s.hang = true },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t)
			right := s.text
			wrong(s)
			all := withoutNetwork(t, s)
			start := time.Now()
			for range 3 {
				compare(t, all, withoutSchema)
				if err := knows(all, "Garden"); err == nil || !strings.Contains(err.Error(), problem) {
					t.Errorf("the error is %v, want %s", err, problem)
				}
			}
			s.wasAsked(t, 1)
			if waited := time.Since(start); waited != 0 && (waited != 2*time.Second || !s.hang) {
				t.Errorf("waited %v", waited)
			}
			s.set(func(s *server) { s.code, s.text, s.fail, s.hang = 0, right, nil, false })
			time.Sleep(59 * time.Second)
			compare(t, all, withoutSchema)
			time.Sleep(time.Second)
			compare(t, all, bySchema)
			if err := knows(all, "Garden"); err != nil {
				t.Error(err)
			}
			s.wasAsked(t, 2)

			wrong(s)
			s.set(func(s *server) { s.text = strings.Replace(s.text, "Swagger", "swagger", 1) }) // it is another document
			time.Sleep(10 * time.Minute)
			if err := knows(all, "Garden"); err != nil {
				t.Errorf("what the server said before does not count any more: %v", err)
			}
			s.wasAsked(t, 3)
			s.set(func(s *server) { s.code, s.text, s.fail, s.hang = 0, withFreeFields(right), nil, false })
			for _, legal := range []bool{false, true} {
				time.Sleep(30 * time.Second)
				if err := path.Check(formOf(gardens.WithKind("Garden")), all, "spec.free.x"); (err == nil) != legal {
					t.Errorf("a field that has come after an answer of no use: %v, want legal %t", err, legal)
				}
			}
			s.wasAsked(t, 4)
		})
	}
}

func TestAKindThatIsDescribedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		all := withoutNetwork(t, s)
		compare(t, all, bySchema)
		if err := knows(all, "Shed"); err == nil || !strings.Contains(err.Error(), "look for the type of a Shed: the server does not describe such a kind") {
			t.Errorf("the error is %v", err)
		}
		s.wasAsked(t, 2)
		s.set(func(s *server) { s.text = withShed(s.text) })
		time.Sleep(59 * time.Second)
		if err := knows(all, "Shed"); err == nil {
			t.Error("the server is asked within a minute")
		}
		time.Sleep(time.Second)
		if err := path.Check(formOf(gardens.WithKind("Shed")), all, "spec.rof"); err == nil {
			t.Error("the kind is not known, or its fields are not")
		}
		compare(t, all, bySchema) // which is from the same document
		s.wasAsked(t, 3)
	})
}

// TestADocumentIsReadAgain asks for what may have changed, and for another kind of the same document.
func TestADocumentIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		all := withoutNetwork(t, s)
		check := func(legal bool, asked int) {
			t.Helper()
			if err := path.Check(formOf(gardens.WithKind("Garden")), all, "spec.free"); (err == nil) != legal {
				t.Errorf("%v, want legal %v", err, legal)
			}
			s.wasAsked(t, asked)
		}
		check(false, 1)
		s.set(func(s *server) { s.text = withFreeFields(s.text) })
		time.Sleep(10*time.Minute - 1)
		check(false, 1)
		time.Sleep(time.Nanosecond)
		check(true, 2)
		if err := knows(all, "Shed"); err == nil {
			t.Error("there is a shed")
		}
		check(true, 3)
		time.Sleep(10 * time.Minute)
		check(true, 4)
		if err := knows(all, "Shed"); err == nil {
			t.Error("there is a shed")
		}
		check(true, 4)
	})
}

// TestKindsThatAreWantedTogether asks for several kinds at once.
func TestKindsThatAreWantedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		s.text, s.hang = withShed(s.text), true
		all := withoutNetwork(t, s)
		group := lifecycle.New(t.Context())
		for i := range 12 {
			group.Guest(fmt.Sprint("reconciler ", i), func(context.Context) {
				if i == 0 {
					compare(t, all, withoutSchema)
					return
				}
				time.Sleep(time.Second)
				if err := knows(all, []string{"Shed", "Garden", "Unheard"}[i%3]); i%3 == 2 && err == nil {
					t.Error("a kind is known that is not there")
				}
			})
		}
		time.Sleep(1500 * time.Millisecond)
		s.set(func(s *server) { s.hang = false })
		group.Stop()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		s.wasAsked(t, 2) // for the first, and then for all others
		if err := knows(all, "Shed"); err != nil {
			t.Error(err)
		}
	})
}

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
