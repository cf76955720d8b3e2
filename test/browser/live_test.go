package browser

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// key presses a key.
func (b *tab) key(name string) {
	b.Helper()
	b.run(chromedp.KeyEvent(map[string]string{"Tab": kb.Tab, "Escape": kb.Escape, "Enter": kb.Enter}[name] + map[bool]string{true: name}[len(name) == 1]))
}

const firstRow = `document.querySelector("tbody tr")?.innerText ?? ""`

func TestDeltasAreFilteredAndPaused(t *testing.T) {
	b := open(t, desk, "deltas", nil)
	b.says(".side", "live")
	b.says("select[name=kind]", "apps/v1 Deployment")
	b.fill("select[name=kind]", toyoperator.Deployment)
	b.fill("input[name=name]", "shop")
	b.says(".side", "live")
	b.await(2*time.Second, `[...document.querySelectorAll("tbody tr")].every((r) => r.innerText.includes("demo/shop")) && document.querySelector("tbody tr")`)
	if hash := evaluate[string](b, "decodeURIComponent(location.hash)"); !strings.Contains(hash, "name=shop") {
		t.Errorf("the address does not have the filter: %s", hash)
	}
	b.press(".side", "Pause")
	b.toy.Scale(toyoperator.Demo(toyoperator.Deployment, "blog"), "kubectl", 1, 2)
	b.toy.Scale(toyoperator.Demo(toyoperator.Deployment, "shop"), "kubectl", 8, 9)
	b.says(".side", "Go on (1 new)")
	if row := evaluate[string](b, firstRow); strings.Contains(row, "8 → 9") {
		t.Errorf("a paused page shows %q", row)
	}
	b.press(".side", "Go on")
	b.says("tbody tr:first-child", "8 → 9")
	b.fill("input[name=manager]", "nobody-has-this-name")
	b.says("main", "Nothing has happened that the filter lets through.")
	b.quiet()
}

func TestAFloodOfDeltasIsShownAndNothingStops(t *testing.T) {
	b := open(t, desk, "deltas", nil)
	b.says(".side", "live")
	b.toy.Flood(toyoperator.ConfigMap, 5000)
	b.says("tbody tr:first-child", "flood-4999")
	b.says(".warning", "came faster than this page took them")
	if rows := evaluate[int](b, `document.querySelectorAll("tbody tr").length`); rows > 300 {
		t.Errorf("the page has %d rows", rows)
	}
	b.quiet()
}

func TestAResyncHappens(t *testing.T) {
	b := open(t, desk, "actions", nil)
	b.says("main", "Label selector")
	b.fill("select[name=kind]", toyoperator.Site)
	b.fill("input[name=selector]", "app in (blog, shop)")
	b.press("main section", "Resync")
	b.says("dialog", "The objects of example.com/v1 Site that have app in (blog, shop) are shown again")
	before := len(b.toy.Deltas(inspector.DeltaQuery{Op: "Sync", Limit: 100}).Items)
	b.press("dialog", "Resync")
	b.says("dialog .done", "2 objects of example.com/v1 Site will be shown again.")
	if before != 0 {
		t.Errorf("%d objects were shown before somebody confirmed", before)
	}
	b.rules()
	b.shot("light-done")
	b.press("dialog", "Close")
	b.key("3")
	b.says("tbody tr:first-child", "shown again, unchanged")
	b.key("5")
	b.says("main", "Resync Site demo/blog")
	b.quiet()
}

func TestARequestIsForgottenAndCancelled(t *testing.T) {
	b := open(t, desk, "queues", nil)
	b.press("main", "Forget the failures of demo/broken")
	b.says("dialog", "tries the request at once")
	b.press("dialog", "Forget")
	b.says("dialog .done", "The failures of demo/broken are forgotten.")
	b.press("dialog", "Close")
	b.press("main", "Cancel the delay of demo/broken")
	b.says("dialog", "Nothing tries it again until something changes")
	b.press("dialog", "Cancel the delay")
	b.says("dialog .done", "The delay of demo/broken is cancelled.")
	b.press("dialog", "Close")
	b.await(5*time.Second, `!document.querySelector("main").innerText.includes("delayed until") && ![...document.querySelectorAll("button")].some((b) => b.ariaLabel?.includes("demo/broken"))`)
	b.quiet()
}

// TestRowsOfOneNameStayApart has requests whose namespaces and names are one text when they are put together.
func TestRowsOfOneNameStayApart(t *testing.T) {
	b := open(t, desk, "queues", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != inspector.Prefix+"v1/queues" {
				h.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(v1.QueueList{At: time.Now(), Items: []v1.Queue{{Controller: "site", Known: true, Items: []v1.Item{
				{Namespace: "a", Name: "b/c", State: "ready"}, {Namespace: "a/b", Name: "c", State: "ready"}, {Name: "a/b/c", State: "ready"},
			}}}})
		})
	})
	b.says("tbody tr:last-child", "a/b/c")
	b.do(`document.querySelectorAll("tbody tr").forEach((row, i) => { row.mine = i; })`)
	b.press("tbody tr:nth-child(2)", "Details of")
	b.says("tr.detail", "Changes that it waits with")
	b.await(10*time.Second, `performance.getEntriesByType("resource").filter((r) => r.name.includes("v1/queues")).length > 2`)
	if rows := evaluate[string](b, `[...document.querySelectorAll("tbody tr")].map((row) => row.mine ?? row.className).join()`); rows != "0,1,detail,2" {
		t.Errorf("when the page has drawn itself again, its rows are %s", rows)
	}
	b.quiet()
}

func TestCallsAreListedByWhatMatters(t *testing.T) {
	b := open(t, desk, "reconciles", nil)
	b.says("main", "site-operator and horizontal-pod-autoscaler undo each other's writes of spec.replicas in Deployment demo/shop")
	b.says("nav .badge", "need attention")
	b.says("tbody tr", "ran deployment, status")
	b.press(".tabs", "Failing")
	b.await(5*time.Second, `[...document.querySelectorAll("tbody tr")].every((r) => r.innerText.includes("demo/broken")) && document.querySelector("tbody tr")`)
	b.says("tbody tr", "the image has no digest")
	b.press(".tabs", "Slowest")
	b.says("tbody tr", "success")
	took := evaluate[[]float64](b, `[...document.querySelectorAll("tbody td:nth-child(6)")].map((c) => parseFloat(c.innerText))`)
	if len(took) == 0 || !slices.IsSortedFunc(took, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("the slowest took %v", took)
	}
	b.press("tbody tr", "Details of the call")
	b.says("tr.detail", "nothing it looks at has changed")
	b.quiet()
}

func TestARefusalIsShown(t *testing.T) {
	b := open(t, desk, "actions", func(h http.Handler) http.Handler { return inspector.Guard(h, inspector.Options{}) })
	b.expect("403") // the browser logs each refusal
	b.says("main", "Label selector")
	b.press("main section", "Relist")
	b.press("dialog", "Relist")
	b.says("dialog .problem", "this address shows things and changes nothing")
	b.rules()
	b.shot("light-refused")
	b.key("Escape")
	b.fill("input[name=period]", "soon")
	b.press("main section", "Change")
	b.await(time.Second, `!document.querySelector("dialog") && document.querySelector("input[name=period]:invalid")`)
	b.quiet()
}
