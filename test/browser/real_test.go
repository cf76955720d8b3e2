package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

func TestAnEditOfASiteIsSeenWithinASecondWithItsDiff(t *testing.T) {
	w := operated.forTest(t)
	w.village(t, "live", "blog")
	b := w.look(t, desk, "reader", "deltas?namespace=live")
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

// ids are the numbers of the rows that show a text, or any text if it is empty.
func ids(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("tbody tr:not(.detail)")].filter((r) => r.innerText.includes(%q)).map((r) => Number(r.dataset.key.split(" ")[1]))`, text)
}

func TestAResyncOfSitesHappens(t *testing.T) {
	w := operated.forTest(t)
	var sites v1alpha1.SiteList
	if err := w.api.List(t.Context(), &sites); err != nil {
		t.Fatal(err)
	}
	b := w.look(t, desk, "user", "deltas?op=Sync&kind="+siteKind)
	b.says(".side", "live")
	lastDelta := evaluate[int](b, "Math.max(0, ..."+ids("")+")")
	b.key("4")
	b.says("tbody tr", "default/")
	lastCall := evaluate[int](b, "Math.max(0, ..."+ids("")+")")
	b.key("6")
	b.says("select[name=kind]", siteKind)
	b.fill("select[name=kind]", siteKind)
	b.press("main section", "Resync")
	b.says("dialog", "All objects of "+siteKind+" are shown again")
	b.press("dialog", "Resync")
	b.says("dialog .done", "All objects of "+siteKind+" are shown to those who take part in resyncs.")
	b.judge("real-resynced-light")
	b.press("dialog", "Close")
	b.key("4")
	b.says("h1", "Reconciles")
	for i := range sites.Items {
		cause := "Primary, Resync Site " + sites.Items[i].Namespace + "/" + sites.Items[i].Name
		if sites.Items[i].Name == failing {
			continue // it is called for its failures first
		}
		b.await(5*time.Second, fmt.Sprintf(`%s.filter((id) => id > %d).length === 1`, ids(cause), lastCall))
	}
	b.visit(w.pages["user"], "deltas?op=Sync&kind="+siteKind)
	b.await(5*time.Second, fmt.Sprintf(`%s.filter((id) => id > %d).length === %d`, ids("shown again, unchanged"), lastDelta, len(sites.Items)))
	b.quiet()
}

func TestAReaderIsRefusedAResync(t *testing.T) {
	w := operated.forTest(t)
	w.village(t, "refused", "blog")
	shown := w.look(t, desk, "reader", "deltas?kind="+siteKind+"&op=Sync")
	shown.says(".side", "live")
	before := evaluate[int](shown, ids("")+".length")
	for look, on := range map[string]screen{"light": desk, "phone-dark": nightPhone} {
		t.Run(look, func(t *testing.T) {
			b := w.look(t, on, "reader", "actions")
			b.expect("403") // the browser logs each refusal
			b.says("select[name=kind]", siteKind)
			b.fill("select[name=kind]", siteKind)
			b.press("main section", "Resync")
			b.press("dialog", "Resync")
			b.says("dialog .problem", "403")
			b.says("dialog .problem", "the verb post for /delta/v1/actions/resync")
			b.says("dialog .problem", "ClusterRole")
			b.judge("real-refused-" + look)
		})
	}
	// What comes after the refusal shows that nothing came before.
	b := w.look(t, desk, "reader", "deltas?namespace=refused")
	b.says(".side", "live")
	w.edit(t, siteOf("refused", "blog"), "kubectl-edit", scale(2))
	b.says("tbody tr", "spec.replicas 1 → 2")
	if after := evaluate[int](shown, ids("")+".length"); after != before {
		t.Errorf("a reader's click has shown %d objects again", after-before)
	}
	shown.quiet()
	b.quiet()
}
