package controlplane

import (
	"testing"
)

// tests stands for a testing.M.
type tests func() int

func (t tests) Run() int { return t() }

func TestSharedIsOneUntilAllTestsEnd(t *testing.T) {
	var s Shared
	code := s.Around(tests(func() int {
		first := s.ForTest(t)
		if again := s.ForTest(t); again != first {
			t.Error("the second test has another control plane")
		}
		return 3
	})).Run()
	if code != 3 {
		t.Errorf("the code is %d, want that of the tests, 3", code)
	}
	expectGone(t, s.plane.folder, s.plane.etcdURL, s.plane.admin.Host)
}

func TestSharedThatNobodyAskedForDoesNotStart(t *testing.T) {
	var s Shared
	if code := s.Around(tests(func() int { return 0 })).Run(); code != 0 || s.plane != nil {
		t.Errorf("code %d, control plane %v, want 0 and none", code, s.plane)
	}
}
