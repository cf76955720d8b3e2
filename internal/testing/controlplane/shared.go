package controlplane

import (
	"sync"
	"testing"
)

// Shared is a control plane that the tests of a package have in common: a variable of
// the package. It starts when a test asks for it.
type Shared struct {
	once  sync.Once
	plane *Plane
	err   error
}

// ForTest returns the control plane.
func (s *Shared) ForTest(t testing.TB) *Plane {
	t.Helper()
	s.once.Do(func() { s.plane, s.err = Start(t.Context(), Options{}) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.plane
}

// Around is all tests of a package, and after them the end of the control plane. It is
// for TestMain.
func (s *Shared) Around(m interface{ Run() int }) interface{ Run() int } { return around{m, s} }

type around struct {
	tests  interface{ Run() int }
	shared *Shared
}

// Run returns the exit code.
func (a around) Run() int {
	code := a.tests.Run()
	if a.shared.plane != nil {
		a.shared.plane.Stop()
	}
	return code
}
