package browser

import (
	"fmt"
	"testing"
	"time"
)

func TestAnEditOfASiteIsSeenWithinASecondWithItsDiff(t *testing.T) {
	w := operated.forTest(t)
	w.village(t, "live", "blog")
	b := w.look(t, desk, "deltas?namespace=live")
	b.says(".side", "live")
	for n := 2; n <= 6; n++ {
		began := time.Now()
		w.edit(t, siteOf("live", "blog"), "kubectl-edit", scale(n))
		b.says("tbody tr", fmt.Sprintf("spec.replicas %d → %d", n-1, n))
		took := time.Since(began)
		if t.Logf("the edit was seen after %v", took.Round(time.Millisecond)); took > time.Second {
			t.Errorf("the edit was seen after %v", took)
		}
	}
	// The times of managers are whole seconds: of the edits above it may not be known whose they are.
	w.edit(t, siteOf("live", "blog"), "kubectl-scale", scale(7))
	b.says("tbody tr", "spec.replicas 6 → 7")
	b.fill("input[name=manager]", "kubectl-scale")
	b.await(5*time.Second, `document.querySelectorAll("tbody tr").length === 1`)
	b.press("tbody tr:first-child", "Details of Updated "+siteKind+" blog")
	b.says("tr.detail .path", "spec.replicas")
	b.says("tr.detail .del", "6")
	b.says("tr.detail .add", "7")
	b.press("tbody tr:first-child", "live/blog")
	b.says("h1", "Site live/blog")
	b.says("main", "kubectl-scale")
	b.quiet()
}
