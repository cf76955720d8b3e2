package builder_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
)

// TestAControllerThatSharesNothingSaysSo builds two controllers for each manager. If neither the manager's cache nor
// its client knows the Runtime, each controller says so once, and names the cache.
func TestAControllerThatSharesNothingSaysSo(t *testing.T) {
	knows := managed.New()
	for name, c := range map[string]struct {
		cache, client bool // that they know the Runtime
		want          int
	}{
		"both know": {true, true, 0}, "the cache is wrapped": {false, true, 0}, "the client is wrapped": {true, false, 0}, "both are wrapped": {false, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			m := newFakeManager(&informertest.FakeInformers{})
			m.client = struct{ client.Client }{}
			if c.cache {
				m.cache = shown{m.cache, knows}
			}
			if c.client {
				m.client = knowing{of: knows}
			}
			lines := loggingManager(m)
			for _, controller := range []string{"first", "second"} {
				if err := builder.ControllerManagedBy(m).Named(controller).For(&corev1.ConfigMap{}).Complete(noop); err != nil {
					t.Fatal(err)
				}
			}
			if err := builder.ControllerManagedBy(m).Named("without").For(&corev1.ConfigMap{}).WithoutLedger().Complete(noop); err != nil {
				t.Fatal(err)
			}
			got := lines()
			if len(got) != c.want {
				t.Errorf("the log says %q, want %d lines", got, c.want)
			}
			for _, line := range got {
				if !strings.Contains(line, `"cache"="*informertest.FakeInformers"`) || !strings.Contains(line, "an inspector does not show this controller") {
					t.Errorf("the log says %q", line)
				}
			}
		})
	}
}
