package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
)

// shots is where screenshots go.
const shots = "../../artifacts/page"

// started is the browser of all tests; nil if there is none on this machine.
var started context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	found := os.Getenv("CHROME")
	if found == "" {
		found, _ = exec.LookPath("chromium")
	}
	if found == "" {
		return m.Run()
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(found), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("force-color-profile", "srgb"))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	browser, end := chromedp.NewContext(allocated)
	defer end()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "start", found+":", err)
		return 1
	}
	if err := os.MkdirAll(shots, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	started = browser //nolint:fatcontext // it ends with this function, and so do the tests
	defer operated.end()
	return m.Run()
}

// tab is a tab that shows the page of an operator.
type tab struct {
	*testing.T
	ctx    context.Context
	server *httptest.Server      // of the toy operator
	toy    *toyoperator.Operator // nil if the operator is real

	mu       sync.Mutex // guards everything below
	problems []string   // what the console and the page's policy complain of
	expected []string   // parts of problems that belong to the test
}

// screen is what a tab pretends to be shown on.
type screen struct {
	theme         string
	width, height int64
	mobile        bool
}

var (
	desk       = screen{"light", 1440, 900, false}
	night      = screen{"dark", 1440, 900, false}
	phone      = screen{"light", 360, 740, true}
	nightPhone = screen{"dark", 360, 740, true}
)

// screens are all of them. A view has to be good on each.
var screens = map[string]screen{"light": desk, "dark": night, "phone": phone, "phone-dark": nightPhone}

// open opens a view of a new operator. The function wraps its handler; nil is a guard that lets actions
// through.
func open(t *testing.T, on screen, view string, wrap func(http.Handler) http.Handler) *tab {
	t.Helper()
	b := newTab(t, on)
	b.toy = toyoperator.New()
	done := make(chan struct{})
	h := inspector.New(b.toy, inspector.Options{Done: done})
	if wrap == nil {
		wrap = func(h http.Handler) http.Handler { return inspector.Guard(h, inspector.Options{Actions: true}) }
	}
	b.server = httptest.NewServer(wrap(h))
	t.Cleanup(func() {
		close(done)
		b.server.CloseClientConnections()
		b.server.Close()
	})
	b.visit(b.server.URL+inspector.Prefix, view)
	return b
}

// newTab opens an empty tab.
func newTab(t *testing.T, on screen) *tab {
	t.Helper()
	if started == nil {
		t.Fatal("there is no chromium: install it, or set CHROME to a program that speaks its protocol")
	}
	ctx, closeTab := chromedp.NewContext(started)
	t.Cleanup(closeTab)
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	command(b, log.Enable, cdp.Empty{})
	command(b, runtime.Enable, cdp.Empty{})
	command(b, page.Enable, page.EnableParams{})
	command(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: on.theme}},
	})
	command(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: on.width, Height: on.height, DeviceScaleFactor: 1, Mobile: on.mobile,
	})
	command(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: `addEventListener("securitypolicyviolation", (e) => console.error("policy violated: " + e.violatedDirective + " " + e.blockedURI));`,
	})
	return b
}

// visit opens a view of the page at an address.
func (b *tab) visit(address, view string) {
	b.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address+"#/"+strings.ReplaceAll(view, " ", "%20"))); err != nil {
		b.Fatalf("open the view %s at %s: %v", view, address, err)
	}
}

// listen notes what the browser complains of.
func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			for _, arg := range e.Args {
				b.problems = append(b.problems, fmt.Sprintf("console: %s", arg.Value))
			}
		}
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, fmt.Sprintf("exception: %+v", e.ExceptionDetails))
	case *log.EventEntryAdded:
		b.problems = append(b.problems, fmt.Sprintf("log: %s %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	}
}

// expect says that a complaint belongs to the test.
func (b *tab) expect(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, part)
}

// quiet fails the test for what the browser complained of.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
next:
	for _, problem := range b.problems {
		for _, part := range b.expected {
			if strings.Contains(problem, part) {
				continue next
			}
		}
		b.Error(problem)
	}
}

func (b *tab) run(action chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, action); err != nil {
		b.Fatal(err)
	}
}

// command sends the browser a command.
func command[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, command, params); err != nil {
		b.Fatal(err)
	}
}

// evaluate runs an expression in the page.
func evaluate[V any](b *tab, script string) V {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[V](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	return value
}

// do runs a statement in the page.
func (b *tab) do(script string) {
	b.Helper()
	evaluate[string](b, script+`; ""`)
}

// await waits until an expression is true.
func (b *tab) await(within time.Duration, script string) time.Duration {
	b.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		yes, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("Boolean("+script+")", chromedp.EvalAwaitPromise))
		switch {
		case err != nil && !strings.Contains(err.Error(), "navigated"): // the page has loaded itself again meanwhile
			b.Fatal(err)
		case yes:
			return time.Since(began)
		}
		if time.Since(began) > within {
			b.shot("failure-" + strings.ReplaceAll(b.Name(), "/", "-"))
			b.Fatalf("within %v this does not become true: %s\nthe page shows: %.3000s", within, script, evaluate[string](b, "document.body.innerText"))
		}
	}
}

// says waits until a place shows a text.
func (b *tab) says(place, text string) time.Duration {
	b.Helper()
	return b.await(5*time.Second, fmt.Sprintf("[...document.querySelectorAll(%q)].some((e) => e.innerText.includes(%q))", place, text))
}

// press clicks the button of a name in a place, once it can be pressed.
func (b *tab) press(place, name string) {
	b.Helper()
	const find = `[...document.querySelectorAll(%q)].flatMap((p) => [...p.querySelectorAll("button, a")]).find((e) => !e.disabled && (e.getAttribute("aria-label") ?? e.innerText).startsWith(%q))`
	// The page may draw itself again between two looks, so the button is found and clicked in one.
	b.await(5*time.Second, "(() => { const button = "+fmt.Sprintf(find, place, name)+"; button?.click(); return button; })()")
}

// fill writes into a field, as somebody who types and goes on with the next one.
func (b *tab) fill(field, value string) {
	b.Helper()
	b.await(5*time.Second, fmt.Sprintf("document.querySelector(%q)", field))
	b.do(fmt.Sprintf(`{ const f = document.querySelector(%q); f.value = %q; f.dispatchEvent(new Event("change", {bubbles: true})); }`, field, value))
}

// shot takes a screenshot of the whole page.
func (b *tab) shot(name string) {
	b.Helper()
	b.save(filepath.Join(shots, name+".png"))
}

func (b *tab) save(path string) {
	b.Helper()
	image, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(path, image, 0o600); err != nil {
		b.Error(err)
	}
}
