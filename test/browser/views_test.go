package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
)

// axe is where make browser puts axe-core.
const axe = "../../bin/axe-core/axe.min.js"

// views are the views, and a text that each shows once it has its answer.
var views = map[string]string{
	"now": "Last calls, and why", "kinds": "batch/v1 CronJob", "deltas": "spec.replicas", "reconciles": "undo each other's writes", "queues": "working for", "actions": "Resync policy",
	"object?kind=example.com/v1 Site&namespace=demo&name=broken": "What happened",
}

// routed asks the page's own router for its views.
const routed = `import(new URL("assets/main.js", document.baseURI)).then((m) => Object.keys(m.views).join())`

// TestNoViewIsForgotten compares the views of these tests with those of the page's router.
func TestNoViewIsForgotten(t *testing.T) {
	var known []string
	for view := range views {
		name, _, _ := strings.Cut(view, "?")
		known = append(known, name)
	}
	b := open(t, desk, "kinds", nil)
	b.says("main", views["kinds"])
	has := strings.Split(evaluate[string](b, routed), ",")
	slices.Sort(known)
	slices.Sort(has)
	if !slices.Equal(known, has) {
		t.Errorf("these tests look at the views %v, and the router has %v", known, has)
	}
}

// details opens what a view hides at first.
const details = `[...document.querySelectorAll("button.more")].filter((b, i) => i < 3 && b.getAttribute("aria-expanded") === "false").forEach((b) => b.click())`

// TestEachViewIsForEverybody looks for what keeps somebody from using the page, and for complaints of
// the browser.
func TestEachViewIsForEverybody(t *testing.T) {
	for look, on := range screens {
		for view, text := range views {
			name, _, _ := strings.Cut(view, "?")
			t.Run(look+"/"+name, func(t *testing.T) {
				b := open(t, on, view, nil)
				for i := range 4 {
					b.toy.Scale(toyoperator.Demo(toyoperator.Deployment, "shop"), []string{"site-operator", "horizontal-pod-autoscaler"}[i%2], 3+i%2, 4-i%2)
				}
				b.toy.Scale(toyoperator.Demo(toyoperator.Site, "wiki"), "kubectl-edit", 1, 2)
				b.says("main", text)
				b.says("#link", map[bool]string{true: "", false: "Connected"}[on.mobile])
				b.judge(look + "-" + name)
				b.do(details)
				b.judge(look + "-" + name + "-details")
			})
		}
	}
}

// judge looks at the page as it is now, and takes a screenshot of it.
func (b *tab) judge(shot string) {
	b.Helper()
	b.await(5*time.Second, `document.getAnimations().every((a) => a.playState !== "running")`) // new rows fade in
	b.rules()
	b.fits()
	b.shot(shot)
	b.quiet()
}

// rules fails for what axe-core finds in the page as it is now.
func (b *tab) rules() {
	b.Helper()
	for _, v := range b.violations() {
		b.Errorf("%s: %s: %q", v.Rule, v.Help, v.Nodes)
	}
}

// violation is a rule of accessibility that the page breaks.
type violation struct {
	Rule, Help string
	Nodes      []string
}

func (b *tab) violations() (found []violation) {
	b.Helper()
	script, err := os.ReadFile(axe)
	if err != nil {
		b.Fatalf("axe-core is missing, run: make browser (%v)", err)
	}
	b.do(string(script))
	answer := evaluate[string](b, `axe.run().then((r) => JSON.stringify(r.violations.map((v) => ({rule: v.id, help: v.help, nodes: v.nodes.slice(0, 4).map((n) => n.html.slice(0, 200) + " " + n.failureSummary)}))))`)
	if err := json.Unmarshal([]byte(answer), &found); err != nil {
		b.Fatal(err)
	}
	return found
}

// TestEachLookoutSees spoils a page, and looks whether these tests notice.
func TestEachLookoutSees(t *testing.T) {
	b := open(t, desk, "kinds", nil)
	b.says("main", "batch/v1 CronJob")
	b.do(`document.querySelector("main").insertAdjacentHTML("beforeend", '<img src="https://elsewhere.example/x.png"><p style="color: red">styled</p>')`)
	b.do(`const pale = document.createElement("p"); pale.textContent = "pale"; pale.style.color = "#eeeeee"; document.querySelector("main").append(pale)`)
	broken := fmt.Sprint(b.violations())
	for _, rule := range []string{"image-alt", "color-contrast"} {
		if !strings.Contains(broken, rule) {
			t.Errorf("%s is not noticed: %s", rule, broken)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	complaints := strings.Join(b.problems, "; ")
	for _, part := range []string{"policy violated: img-src", "policy violated: style-src"} {
		if !strings.Contains(complaints, part) {
			t.Errorf("%q is not noticed: %s", part, complaints)
		}
	}
}

// fits fails if the page is wider than the screen.
func (b *tab) fits() {
	b.Helper()
	if wide := evaluate[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
		b.Errorf("the page is %d pixels wider than the screen", wide)
	}
}

func TestDialogsAreForEverybody(t *testing.T) {
	for look, on := range screens {
		t.Run(look, func(t *testing.T) {
			b := open(t, on, "actions", nil)
			b.press("header", "Help")
			b.says("dialog", "show a view")
			b.rules()
			b.shot(look + "-help")
			b.press("dialog", "Close")
			b.says("main", "Label selector")
			b.press("main section", "Resync")
			b.says("dialog", "Resync example.com/v1 Site?")
			b.rules()
			b.shot(look + "-confirm")
			b.quiet()
		})
	}
}

func TestTheKeyboardGoesEverywhere(t *testing.T) {
	b := open(t, desk, "kinds", nil)
	b.says("main", "example.com/v1 Site")
	for key, title := range map[string]string{"3": "Deltas", "4": "Reconciles", "5": "Queues", "6": "Actions", "2": "Kinds"} {
		b.key(key)
		b.says("h1", title)
	}
	b.key("1")
	b.says("main", "need attention")
	b.key("3")
	b.says("h1", "Deltas")
	b.key("/")
	b.await(time.Second, `document.activeElement.name === "kind"`)
	b.key("Escape")
	b.key("?")
	b.says("dialog", "go to the filter")
	b.key("Escape")
	b.await(time.Second, `!document.querySelector("dialog")`)
	b.key("p")
	b.says(".side", "paused")
	// Tab reaches each control, and shows where it is.
	reached := map[string]bool{}
	for range 40 {
		b.key("Tab")
		where := evaluate[string](b, `(() => { const e = document.activeElement; return e === document.body ? "" : getComputedStyle(e).outlineStyle === "none" ? "HIDDEN " + e.outerHTML.slice(0, 100) : e.name || e.id || e.className || e.innerText; })()`)
		reached[where] = true
		if len(where) > 6 && where[:6] == "HIDDEN" {
			t.Errorf("the focus can't be seen: %s", where)
		}
	}
	for _, want := range []string{"theme", "help", "kind", "namespace", "name", "op", "manager", "more"} {
		if !reached[want] {
			t.Errorf("Tab does not reach %s, but %v", want, reached)
		}
	}
	b.quiet()
}

func TestAnObjectIsFoundFromAnywhere(t *testing.T) {
	for look, on := range screens {
		t.Run(look, func(t *testing.T) {
			b := open(t, on, "queues", nil)
			b.says("main", "working for")
			b.key("s")
			b.says("dialog", "Find an object")
			b.rules()
			b.fill("select[name=find-kind]", toyoperator.Deployment)
			b.press("dialog", "Show it")
			b.await(time.Second, `document.activeElement.name === "find-name"`) // without a name there is nothing to show
			b.fill("input[name=find-name]", " demo/shop ")
			b.press("dialog", "Show it")
			b.says("h1", "Deployment demo/shop")
			b.await(time.Second, `!document.querySelector("dialog")`)
			b.says("main", "site-operator")
			b.quiet()
		})
	}
}

func TestAFamilyIsShownAndFollowed(t *testing.T) {
	for look, on := range screens {
		t.Run(look, func(t *testing.T) {
			b := open(t, on, "object?kind="+toyoperator.Site+"&namespace=demo&name=shop", nil)
			b.says(".tree", "Deployment demo/shop")
			b.says(".tree [data-depth='2']", "Pod demo/shop")
			b.says(".command", "kubectl get --output yaml site.example.com/shop --namespace demo")
			b.rules()
			b.press(".tree", "demo/shop")
			b.says("h1", "Deployment demo/shop")
			b.says(".tree [data-depth='2']", "Tenant everybody, which is not in the cache")
			b.quiet()
		})
	}
}

func TestFailuresAlikeAreOne(t *testing.T) {
	for look, on := range screens {
		t.Run(look, func(t *testing.T) {
			b := open(t, on, "reconciles?list=failing", nil)
			b.says("tbody", "demo/broken")
			for range 2 {
				b.toy.Work("broken")
			}
			b.says("tbody", "3 times alike, first ")
			b.await(time.Second, `[...document.querySelectorAll("tbody tr")].filter((r) => r.innerText.includes("demo/broken")).length === 1`)
			b.rules()
			b.quiet()
		})
	}
}

func TestAViewStaysAsItIsWhilePaused(t *testing.T) {
	b := open(t, desk, "kinds", nil)
	const objects = `[...document.querySelectorAll("tbody tr")].find((r) => r.innerText.includes("v1 Secret")).querySelectorAll("td")[5].innerText`
	b.says("main", "v1 Secret")
	b.key("p")
	b.says("#link", "Paused")
	b.toy.Edit(toyoperator.Demo(toyoperator.Secret, "more"), "kubectl")
	time.Sleep(3 * time.Second) // longer than from one look at the operator to the next
	if shown := evaluate[string](b, objects); shown != "1" {
		t.Errorf("a paused view goes on to %s objects", shown)
	}
	b.press("header", "Go on")
	b.says("#link", "Connected")
	b.await(10*time.Second, objects+` === "2"`)
	b.key("p")
	b.key("4")
	b.says("#link", "Connected") // another view begins to move
	b.quiet()
}

func TestDeltasAreAFewAtATimeOnAPhone(t *testing.T) {
	b := open(t, phone, "deltas", nil)
	b.says("main", "kubectl-create")
	rows := func(n int) string { return fmt.Sprintf(`document.querySelectorAll("tbody tr").length === %d`, n) }
	b.await(5*time.Second, rows(30))
	b.press("main", "Show 3 more")
	b.await(5*time.Second, rows(33))
	b.judge("phone-deltas-all")
}

func TestTheThemeIsKept(t *testing.T) {
	b := open(t, desk, "kinds", nil)
	b.press("header", "Theme: system")
	b.press("header", "Theme: light")
	b.says("#theme", "Theme: dark")
	const background = `getComputedStyle(document.body).backgroundColor`
	dark := evaluate[string](b, background)
	b.run(chromedp.Reload())
	b.says("#theme", "Theme: dark")
	if again := evaluate[string](b, background); again != dark || dark != "rgb(19, 21, 25)" {
		t.Errorf("the background is %s, and after a reload %s", dark, again)
	}
	b.quiet()
}
