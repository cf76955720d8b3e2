package browser

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

// routed asks the page's own router for its views.
const routed = `import(new URL("assets/main.js", document.baseURI)).then((m) => JSON.stringify(Object.keys(m.views)))`

// stop is a view, with what it has to show of the world.
type stop struct {
	query string // in its address
	shows []string
	// deeper opens what the view hides at first.
	deeper func(b *tab)
}

var stops = map[string]stop{
	"now": {shows: []string{"sample-operator", "attention", "fails for default/legacy", "an image needs a digest", "Last calls, and why"}, deeper: func(b *tab) {
		b.await(time.Minute, `document.querySelectorAll(".graph").length === 5`) // a sample is taken each ten seconds
		b.press("main", "Details of the call")
	}},
	"kinds": {shows: []string{siteKind, "apps/v1 Deployment", "Following"}, deeper: func(b *tab) {
		b.press("main", "Details of "+siteKind)
		b.says("tr.detail", "every 6 h, spread over the period, if not reconciled for 1 h")
		b.press("tr.detail", "Measure a sample")
		b.says("tr.detail", "estimated from")
		b.says("tr.detail .mono", "spec.files")
		b.says("tr.detail", "more paths have")
	}},
	"deltas": {query: "?namespace=default", shows: []string{"default/contested", "spec.replicas", "sample-operator"}, deeper: func(b *tab) {
		b.press("tbody", "Details of Updated apps/v1 Deployment contested")
		b.says("tr.detail .path", "spec.replicas")
	}},
	"reconciles": {shows: []string{"undo each other's writes", "rounds", "default/legacy", "success"}, deeper: func(b *tab) {
		b.press(".tabs", "Failing")
		b.says("tbody tr:first-child", "an image needs a digest")
		b.press("tbody tr:first-child", "Details of the call")
		b.says("tr.detail", "deployment")
	}},
	"queues":  {shows: []string{"default/legacy", "due", "Forget"}, deeper: func(b *tab) { b.press("tbody", "Details of default/legacy") }},
	"actions": {shows: []string{siteKind, "Resync policy"}},
	"object": {query: "?kind=" + siteKind + "&namespace=default&name=legacy", shows: []string{"What happened", "an image needs a digest", "controller site"}, deeper: func(b *tab) {
		b.press("main", "Details of Added "+siteKind)
		b.press("main", "Details of the call")
	}},
}

// TestEachViewOfARealOperatorIsForEverybody goes where the page's router leads, and looks for what
// keeps somebody from using the page, and for complaints of the browser.
func TestEachViewOfARealOperatorIsForEverybody(t *testing.T) {
	w := operated.forTest(t)
	var views []string
	b := w.look(t, desk, "reader", "kinds")
	b.says("main", siteKind)
	if err := json.Unmarshal([]byte(evaluate[string](b, routed)), &views); err != nil || len(views) < 2 {
		t.Fatalf("the router has the views %v: %v", views, err)
	}
	for view := range stops {
		if !slices.Contains(views, view) {
			t.Errorf("the router has no view %s", view)
		}
	}
	for look, on := range screens {
		for _, view := range views {
			t.Run(look+"/"+view, func(t *testing.T) {
				at, known := stops[view]
				if !known {
					t.Fatalf("this test does not know what the view %s has to show", view)
				}
				b := w.look(t, on, "reader", view+at.query)
				for _, text := range at.shows {
					b.says("main", text)
				}
				b.judge("real-" + view + "-" + look)
				if at.deeper != nil {
					at.deeper(b)
					b.judge("real-" + view + "-details-" + look)
				}
			})
		}
	}
}
