package main

import (
	"strings"
	"testing"
)

func TestSomeHaveToBeChangedByHand(t *testing.T) {
	for name, of := range map[string]struct{ code, want string }{
		"in an if":    {"func f() { if m, err := ctrl.NewManager(nil, ctrl.Options{}); err != nil { _ = m } }", "main.go:9:25: the manager is not made by an assignment"},
		"not checked": {"func f() { m, _ := ctrl.NewManager(nil, ctrl.Options{}); _ = m }", "main.go:9:12: the next statement does not check the error"},
		"global":      {"var m, err = ctrl.NewManager(nil, ctrl.Options{})", "main.go:9:14: the manager is not made by an assignment"},
		"none":        {"var _ ctrl.Manager", "no file calls NewManager"},
	} {
		t.Run(name, func(t *testing.T) {
			files := contents{"main.go": head(ctrlImport) + "\n" + of.code + "\n"}
			_, err := editSources(files, usual)
			if err == nil || !strings.HasPrefix(err.Error(), of.want) {
				t.Errorf("the error is %v, want %s", err, of.want)
			}
			if name != "none" && !strings.Contains(err.Error(), "by hand") {
				t.Errorf("the error does not say what to do: %v", err)
			}
			files["other.go"] = shapes["the options are in the call"].before
			found, err := editSources(files, usual)
			if err != nil || len(found.changed) != 1 || name != "none" && (len(found.left) != 1 || !strings.HasPrefix(found.left[0], of.want)) {
				t.Errorf("beside a manager that it knows it finds %+v and says %v", found, err)
			}
		})
	}
	ofTests := "package suite\n\nimport (\n\tctrl \"sigs.k8s.io/controller-runtime\"\n\t\"sigs.k8s.io/controller-runtime/pkg/envtest\"\n)\n\nvar m, err = ctrl.NewManager(nil, ctrl.Options{})\n\nvar _ envtest.Environment\n"
	if _, err := editSources(contents{"suite.go": ofTests}, usual); err == nil || !strings.HasPrefix(err.Error(), "no file calls") {
		t.Errorf("for a file of tests the error is %v", err)
	}
	if _, err := editSources(contents{"main.go": "package"}, usual); err == nil {
		t.Error("a file that is no Go has no error")
	}
}

func FuzzSources(f *testing.F) {
	for _, shape := range shapes {
		f.Add(shape.before)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := editSources(contents{"main.go": text}, usual)
		if err != nil {
			return
		}
		for name, text := range found.changed {
			if _, err := parse(name, text); err != nil {
				t.Errorf("the change is no Go: %v\n%s", err, text)
			}
		}
	})
}
