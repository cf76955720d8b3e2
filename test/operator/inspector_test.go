package operator

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// canary is a value of a Secret. Nothing that is served may have it.
const canary = "canary-7f3a9"

// page is somebody who looks at an operator.
type page struct {
	t    *testing.T
	base string

	mu   sync.Mutex // guards seen
	seen bytes.Buffer
}

// get asks a route, and remembers all that was answered.
func (p *page) get(route string, into any, params ...string) {
	p.t.Helper()
	query := url.Values{}
	for i := 0; i < len(params); i += 2 {
		query.Set(params[i], params[i+1])
	}
	p.answer(http.MethodGet, route+"?"+query.Encode(), nil, into)
}

// post does something.
func (p *page) post(route string, body any) (done v1.Done) {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.answer(http.MethodPost, route, bytes.NewReader(text), &done)
	return done
}

func (p *page) answer(method, route string, body io.Reader, into any) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+route, body)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.see(text)
	if answer.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s: %s", method, route, answer.Status, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		p.t.Fatalf("%s %s: %v in %s", method, route, err, text)
	}
}

func (p *page) see(text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen.Write(text)
}

// follow sends each delta of a stream to the channel, until the test ends.
func (p *page) follow(query string) <-chan v1.Delta {
	p.t.Helper()
	deltas := make(chan v1.Delta, 100)
	ctx, cancel := context.WithCancel(p.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"v1/deltas/stream?"+query, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	var reading sync.WaitGroup
	p.t.Cleanup(func() { cancel(); reading.Wait() })
	reading.Go(func() {
		defer func() { _ = answer.Body.Close() }()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			p.see(lines.Bytes())
			data, isData := strings.CutPrefix(lines.Text(), "data: ")
			var d v1.Delta
			if isData && json.Unmarshal([]byte(data), &d) == nil && d.Kind != "" {
				deltas <- d
			}
		}
	})
	return deltas
}

// TestTheInspector looks at an operator through its API while objects change.
func TestTheInspector(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	options := basicOptions()
	if err := drmanager.Configure(&options); err != nil {
		t.Fatal(err)
	}
	m := newManager(t, config, options)
	address := controlplane.FreeAddressForTest(t)
	if err := drmanager.AddInspector(m, inspect.Options{BindAddress: address, AllowActions: true}); err != nil {
		t.Fatal(err)
	}
	reconciler := reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		if r.Name == "broken" {
			return reconcile.Result{}, fmt.Errorf("reconcile %s: it is broken", r)
		}
		err := delta.Plan(ctx).On(&corev1.ConfigMap{}, "data").Do("copy", func(context.Context) error { return nil })
		return reconcile.Result{}, err
	})
	if err := builder.ControllerManagedBy(m).Named("inspected").For(&corev1.ConfigMap{}).Complete(reconciler); err != nil {
		t.Fatal(err)
	}
	if _, err := m.GetCache().GetInformer(t.Context(), &corev1.Secret{}); err != nil {
		t.Fatal(err)
	}
	started(t, m)
	p := &page{t: t, base: "http://" + address + "/delta/"}
	p.awaitKinds("v1 ConfigMap", "v1 Secret")
	p.lookAtAnEdit(api, namespace)
	p.lookAtSecrets(api, namespace)
	p.lookAtAFailure(api, namespace)
	p.act()
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Contains(p.seen.String(), canary) {
		t.Error("what was served has a value of a Secret")
	}
}

func (p *page) awaitKinds(names ...string) {
	p.t.Helper()
	await.Within(p.t, await.Patience, "all kinds to follow the server", func() error {
		var kinds v1.KindList
		p.get("v1/kinds", &kinds)
		following := map[string]bool{}
		for _, k := range kinds.Items {
			following[k.Name] = k.Synced && k.State == "Following" && k.DeafSince.IsZero() && !k.HeardAt.IsZero() && k.Lists["First"] == 1
		}
		for _, name := range names {
			if !following[name] {
				return fmt.Errorf("%s does not: %+v", name, kinds)
			}
		}
		return nil
	})
}

// lookAtAnEdit sees an edit within a second, and what became of it.
func (p *page) lookAtAnEdit(api client.Client, namespace string) {
	t := p.t
	t.Helper()
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "settings"}, Data: map[string]string{"color": "red"}}
	if err := api.Create(t.Context(), about, client.FieldOwner("alice")); err != nil {
		t.Fatal(err)
	}
	live := p.follow("kind=configmap&namespace=" + namespace)
	time.Sleep(1100 * time.Millisecond) // managed fields have whole seconds, and say who was last by that
	about.Data["color"] = "blue"
	edited := time.Now()
	if err := api.Update(t.Context(), about, client.FieldOwner("bob")); err != nil {
		t.Fatal(err)
	}
	var d v1.Delta
	for d.Op != "Updated" {
		d = await.Receive(t, "the edit to be shown", live)
	}
	if after := time.Since(edited); after > time.Second {
		t.Errorf("the edit is shown after %v, want within a second", after)
	}
	want := v1.Edit{Path: "data[color]", Op: "changed", Before: `"red"`, After: `"blue"`}
	if d.Manager != "bob" || d.Name != "settings" || len(d.Edits) != 1 || d.Edits[0] != want {
		t.Errorf("the edit is shown as %+v", d)
	}
	await.Within(t, await.Patience, "the call for the edit", func() error {
		var why v1.Why
		p.get("v1/why", &why, "kind", "configmaps", "namespace", namespace, "name", "settings")
		if !why.Cached || why.ResourceVersion != about.ResourceVersion || len(why.Requests) != 1 || why.Requests[0].Last == nil {
			return fmt.Errorf("%+v", why)
		}
		last := why.Requests[0].Last
		if len(last.Changes) == 0 || len(why.Deltas) == 0 || last.Changes[0].Kind != "v1 ConfigMap" || why.Kind != "v1 ConfigMap" || why.Deltas[0].Kind != "v1 ConfigMap" {
			return fmt.Errorf("the kind has several names: %+v", why)
		}
		if last.Result != "success" || len(last.Changes) != 1 || last.Changes[0].Manager != "bob" || last.Changes[0].Edits[0] != want ||
			len(last.Steps) != 1 || last.Steps[0].Result != "done" || last.Steps[0].Seconds <= 0 {
			return fmt.Errorf("the last call is %+v", last)
		}
		if len(why.Deltas) != 2 || len(why.Told) != 2 || why.Requests[0].State != "idle" ||
			!strings.Contains(why.Requests[0].Summary, "because of Primary ConfigMap "+namespace+"/settings Updated by bob") {
			return fmt.Errorf("%+v", why)
		}
		return nil
	})
}

// lookAtSecrets plants canaries, and asks for everything that could show them.
func (p *page) lookAtSecrets(api client.Client, namespace string) {
	t := p.t
	t.Helper()
	live := p.follow("kind=secrets&namespace=" + namespace)
	about := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "password", Annotations: map[string]string{"note": canary}},
		Data:       map[string][]byte{"password": []byte(canary)}, StringData: map[string]string{"other": canary},
	}
	if err := api.Create(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	about.Data["password"], about.Annotations["note"] = []byte(canary+"-2"), canary+"-2"
	if err := api.Update(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	var d v1.Delta
	for d.Op != "Updated" {
		d = await.Receive(t, "the edit of the Secret", live)
	}
	if len(d.Edits) != 2 || !d.Edits[0].Hidden || !d.Edits[1].Hidden {
		t.Errorf("the edit of a Secret is shown as %+v", d)
	}
	for _, route := range []string{"v1/kinds", "v1/deltas", "v1/controllers", "v1/reconciles", "v1/loops", "v1/queues", "v1/openapi.json"} {
		var anything any
		p.get(route, &anything)
	}
	var memory v1.Memory
	p.get("v1/memory", &memory, "kind", "v1 Secret")
	if memory.At.IsZero() || memory.Kind != "v1 Secret" || memory.Bytes == 0 || memory.Sampled == 0 || len(memory.Paths) == 0 {
		t.Errorf("the memory of Secrets is %+v", memory)
	}
	var why v1.Why
	p.get("v1/why", &why, "kind", "secret", "namespace", namespace, "name", "password")
	if !why.Cached || len(why.Deltas) != 2 || len(why.Requests) != 0 {
		t.Errorf("of the Secret there is %+v", why)
	}
}

// lookAtAFailure sees a request that is tried again and again, and has its failures forgotten.
func (p *page) lookAtAFailure(api client.Client, namespace string) {
	t := p.t
	t.Helper()
	about := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "broken"}}
	if err := api.Create(t.Context(), about); err != nil {
		t.Fatal(err)
	}
	broken := func() (found *v1.Item) {
		var queues v1.QueueList
		p.get("v1/queues", &queues, "controller", "inspected")
		for i := range queues.Items[0].Items {
			if item := &queues.Items[0].Items[i]; item.Name == "broken" {
				found = item
			}
		}
		return found
	}
	await.Until(t, "the request to wait after some attempts", func() bool {
		item := broken()
		return item != nil && item.State == "delayed" && item.Attempts >= 8 && len(item.Why) > 0
	})
	done := p.post("v1/actions/forget", v1.RequestAction{Controller: "inspected", Namespace: namespace, Name: "broken"})
	if !strings.Contains(done.Message, "it is queued now") {
		t.Errorf("forgetting answers %q", done.Message)
	}
	await.Until(t, "its attempts to be counted from zero", func() bool { item := broken(); return item != nil && item.Attempts < 8 })
	var calls v1.ReconcileList
	p.get("v1/reconciles", &calls, "controller", "inspected", "result", "error", "limit", "5")
	if len(calls.Items) != 5 || calls.Items[0].Name != "broken" || !strings.Contains(calls.Items[0].Error, "it is broken") || calls.Items[4].Attempt < 2 {
		t.Errorf("the failed calls are %+v", calls)
	}
	if err := api.Delete(t.Context(), about); err != nil {
		t.Fatal(err)
	}
}

// act has kinds resynced and listed again, and sees it happen.
func (p *page) act() {
	t := p.t
	t.Helper()
	causes := func() map[string]uint64 {
		var all v1.ControllerList
		p.get("v1/controllers", &all)
		if kind := all.Items[0].Kind; kind != "v1 ConfigMap" {
			t.Errorf("the controller reconciles %q, want the name that the kind has", kind)
		}
		return all.Items[0].Causes
	}
	before := causes()
	p.post("v1/actions/resync", v1.ResyncAction{Kind: "v1 ConfigMap"})
	await.Until(t, "the resync to reach the reconciler", func() bool { return causes()["Resync"] > before["Resync"] })
	p.post("v1/actions/relist", v1.RelistAction{Kind: "secrets"})
	await.Until(t, "the second list", func() bool {
		var kinds v1.KindList
		p.get("v1/kinds", &kinds)
		for _, k := range kinds.Items {
			if k.Name == "v1 Secret" && k.Lists["Requested"] == 1 {
				return true
			}
		}
		return false
	})
	p.post("v1/actions/policy", v1.PolicyAction{Kind: "v1 ConfigMap", Period: "1h"})
	await.Until(t, "the policy to be shown", func() bool {
		var kinds v1.KindList
		p.get("v1/kinds", &kinds)
		for _, k := range kinds.Items {
			if k.Name == "v1 ConfigMap" && len(k.Subscribers) == 1 && len(k.Subscribers[0].Policies) == 1 {
				return k.Subscribers[0].Policies[0] == "every 1h0m0s"
			}
		}
		return false
	})
}
