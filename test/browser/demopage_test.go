//go:build demopage

package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// source is where the inspector's page is.
const source = root + "/internal/inspect/inspector/page/"

const repository = "https://github.com/delta-runtime/delta-runtime"

// recording is what a page can ask an operator, with the answers.
type recording struct {
	Answers map[string]json.RawMessage `json:"answers"` // by path and query
	Later   []json.RawMessage          `json:"later"`   // deltas that came when the list was there
}

// thing is an item, as far as something is asked about it.
type thing struct {
	ID                    int64
	Name, Namespace, Kind string
}

// named is an item that has a name.
type named struct{ Name string }

// items returns those of a list.
func items(t *testing.T, answer json.RawMessage) []json.RawMessage {
	t.Helper()
	return read[struct{ Items []json.RawMessage }](t, answer).Items
}

func read[V any](t *testing.T, text json.RawMessage) (v V) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("read %.300s: %v", text, err)
	}
	return v
}

// TestMakeTheDemoPage asks the sample operator all that a page asks, and writes a page that has the answers in it.
func TestMakeTheDemoPage(t *testing.T) {
	w := operated.forTest(t)
	w.fill(t)
	w.village(t, "demo", "blog")
	r := recording{Answers: map[string]json.RawMessage{}}
	await.Success(t, "the operator to tell of the Site", func() error {
		if !bytes.Contains(w.ask(t, "why", "kind", siteKind, "namespace", "demo", "name", "blog"), []byte(`"success"`)) {
			return fmt.Errorf("no call for it has succeeded")
		}
		return nil
	})
	w.samples(t, 12)
	w.fight(t, func() error {
		if !bytes.Contains(w.ask(t, "now"), []byte(`"Loop"`)) {
			return errors.New("it does not need attention")
		}
		return nil
	})
	r.add(t, w, "deltas")
	last := read[thing](t, items(t, r.Answers["deltas?"])[0]).ID
	w.story(t)
	for _, item := range slices.Backward(items(t, w.ask(t, "deltas"))) {
		if read[thing](t, item).ID > last {
			r.Later = append(r.Later, item)
		}
	}
	w.samples(t, 14)
	w.record(t, &r)
	page := demoPage(t, r)
	if most := 1 << 20; len(page) > most {
		t.Errorf("the page has %d bytes, more than %d", len(page), most)
	}
	if err := os.WriteFile(demo, page, 0o600); err != nil {
		t.Fatal(err)
	}
	for theme, on := range map[string]screen{"light": {"light", 1280, 1000, false}, "dark": {"dark", 1280, 1000, false}} {
		b := newTab(t, on)
		b.visit(demoAddress(t), "now")
		b.says("main", "kubectl-edit")
		b.save(filepath.Join(filepath.Dir(demo), "page-"+theme+".png"))
	}
}

// samples waits until the operator has so many of them.
func (w *world) samples(t *testing.T, n int) {
	t.Helper()
	await.Within(t, 5*time.Minute, fmt.Sprint("the operator to have taken ", n, " samples"), func() error {
		if has := len(read[v1.Now](t, w.ask(t, "now")).Past.Calls); has < n {
			return fmt.Errorf("it has taken %d", has)
		}
		return nil
	})
}

// story is what happens while somebody looks at the page.
func (w *world) story(t *testing.T) {
	t.Helper()
	for n := 2; n <= 3; n++ {
		w.edit(t, siteOf("demo", "blog"), "kubectl-edit", scale(n))
		time.Sleep(time.Second) // so that the changes are told one by one
	}
	if err := w.api.Delete(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "blog"}}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	w.edit(t, siteOf("demo", "blog"), "kubectl-edit", scale(1))
	at := client.ObjectKey{Namespace: "demo", Name: "blog"}
	await.Success(t, "the operator to have done it all", func() error {
		var deployment appsv1.Deployment
		if err := errors.Join(w.api.Get(t.Context(), at, &deployment), w.api.Get(t.Context(), at, &corev1.Service{})); err != nil {
			return err
		}
		if n := *deployment.Spec.Replicas; n != 1 {
			return fmt.Errorf("there are %d replicas", n)
		}
		return nil
	})
	time.Sleep(time.Second)
}

// record asks what the views ask.
func (w *world) record(t *testing.T, r *recording) {
	t.Helper()
	for _, path := range []string{"kinds", "controllers", "loops", "reconciles", "queues"} {
		r.add(t, w, path)
	}
	r.add(t, w, "reconciles", "order", "slowest")
	r.add(t, w, "reconciles", "result", "error")
	r.add(t, w, "reconciles", "result", "panic")
	r.add(t, w, "now")
	for _, kind := range items(t, r.Answers["kinds?"]) {
		r.add(t, w, "memory", "kind", read[named](t, kind).Name)
	}
	for _, controller := range items(t, r.Answers["controllers?"]) {
		r.add(t, w, "now", "controller", read[named](t, controller).Name)
		r.add(t, w, "queues", "controller", read[named](t, controller).Name)
	}
	seen := map[thing]bool{}
	for _, item := range slices.Concat(items(t, r.Answers["deltas?"]), r.Later) {
		about := read[thing](t, item)
		about.ID = 0
		seen[about] = true
	}
	for about := range maps.Keys(seen) {
		r.add(t, w, "why", "kind", about.Kind, "namespace", about.Namespace, "name", about.Name)
	}
}

// add asks one question.
func (r *recording) add(t *testing.T, w *world, path string, params ...string) {
	t.Helper()
	var query []string
	for pair := range slices.Chunk(params, 2) {
		query = append(query, strings.Join(pair, "="))
	}
	slices.Sort(query)
	r.Answers[path+"?"+strings.Join(query, "&")] = w.ask(t, path, params...)
}

// ask asks as a browser does that has the link.
func (w *world) ask(t *testing.T, path string, params ...string) json.RawMessage {
	t.Helper()
	address, err := url.Parse(strings.Replace(w.link, "/?", "/delta/v1/"+path+"?", 1))
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	for pair := range slices.Chunk(params, 2) {
		query.Set(pair[0], pair[1])
	}
	if most := map[string]string{"deltas": "300", "reconciles": "100", "queues": "100"}[path]; most != "" {
		query.Set("limit", most)
	}
	if path == "why" {
		query.Set("family", "yes")
	}
	address.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("ask %s: %s: %v: %s", path, response.Status, err, text)
	}
	return text
}

// demoPage puts the page and a recording into one file.
func demoPage(t *testing.T, r recording) []byte {
	t.Helper()
	part := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	bundled := api.Build(api.BuildOptions{
		EntryPoints: []string{source + "main.js"}, Bundle: true, Format: api.FormatIIFE,
		MinifySyntax: true, MinifyWhitespace: true, Charset: api.CharsetUTF8,
	})
	if len(bundled.Errors) > 0 {
		t.Fatalf("bundle the page: %v", bundled.Errors)
	}
	answers, err := json.Marshal(r) // in which no "<" ends the script
	if err != nil {
		t.Fatal(err)
	}
	icon := "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(part(source+"icon.svg")))
	page := strings.NewReplacer(
		"assets/icon.svg", icon,
		`<link rel="stylesheet" href="assets/page.css">`, "<style>\n"+part(source+"page.css")+"</style>",
		`<script src="assets/theme.js"></script>`, "<script>\n"+part(source+"theme.js")+"</script>",
		`<script type="module" src="assets/main.js"></script>`+"\n", "",
		`<div id="lost"`, `<aside class="note" aria-label="About this page" style="max-width: none; padding: .5rem 1.25rem">This is a recording of the <a href="`+repository+`/tree/main/examples/sample-operator">sample operator</a> of
<a href="`+repository+`">delta-runtime</a>. Some changes come while you look at the deltas.</aside>`+"\n"+`<div id="lost"`,
		"</body>", "<script>\nconst recording = "+string(answers)+";\n"+part("demo/recorded.js")+"</script>\n<script>\n"+string(bundled.OutputFiles[0].Contents)+"</script>\n</body>",
	).Replace(part(source + "index.html"))
	return []byte(strings.ReplaceAll(page, "v1/openapi.json", repository+"/blob/main/internal/inspect/inspector/openapi.json"))
}
