package operator

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlmanager "sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/manager/signals"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// scribe is an operator in a process of its own. It writes for each widget what the widget and the config maps of its name
// say into a file, unless its step is skipped. So a file that is wrong has been skipped by mistake.
type scribe struct {
	Namespace string
	Memory    string // the directory of its memory
	Work      string // the directory of the files

	api client.Reader
}

// scribeName is how the name of such a process begins.
const scribeName = "scribe "

func (s *scribe) String() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return scribeName + string(text)
}

// beScribe runs in the process.
func beScribe(text string, config *rest.Config) error {
	s := &scribe{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		return err
	}
	options := basicOptions()
	options.Cache = crcache.Options{DefaultNamespaces: map[string]crcache.Config{s.Namespace: {}}}
	err := manager.Configure(&options, manager.WithMemory(s.Memory, manager.MemoryOptions{Every: 50 * time.Millisecond}))
	if err != nil {
		return err
	}
	m, err := ctrlmanager.New(config, options)
	if err != nil {
		return err
	}
	s.api = m.GetClient()
	err = builder.ControllerManagedBy(m).Named("scribe").For(&Widget{}).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(ofSameName)).Complete(s)
	if err != nil {
		return err
	}
	go func() {
		<-m.Elected()
		fmt.Println("begins")
	}()
	return m.Start(signals.SetupSignalHandler())
}

// ofSameName maps the config map a-x to the widget a.
func ofSameName(_ context.Context, obj client.Object) []reconcile.Request {
	name, _, ok := strings.Cut(obj.GetName(), ".")
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}}}
}

// compared is a file that says that a process was told what has changed since an earlier one.
const compared = "compared"

// Reconcile writes the file of a widget, if anything touches it.
func (s *scribe) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if delta.From(ctx).Has(delta.Restart) {
		_ = os.WriteFile(filepath.Join(s.Work, compared), nil, 0o600)
	}
	err := delta.Plan(ctx).On(&Widget{}, "spec").On(&corev1.ConfigMap{}, "data").Do("write", func(ctx context.Context) error {
		text, err := said(ctx, s.api, request.NamespacedName)
		path := filepath.Join(s.Work, request.Name)
		switch {
		case apierrors.IsNotFound(err):
			if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		case err != nil:
			return err
		}
		return os.WriteFile(path, []byte(text), 0o600)
	})
	return reconcile.Result{}, err
}

// said is what a widget and its config maps say.
func said(ctx context.Context, api client.Reader, key client.ObjectKey) (string, error) {
	widget := &Widget{}
	if err := api.Get(ctx, key, widget); err != nil {
		return "", err
	}
	text := fmt.Sprintf("%v", widget.Spec)
	for i := range 2 {
		of := &corev1.ConfigMap{}
		err := api.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: fmt.Sprint(key.Name, ".", i)}, of)
		if client.IgnoreNotFound(err) != nil {
			return "", err
		}
		text += fmt.Sprintf(" %v", of.Data)
	}
	return text, nil
}

// kills is how often to kill the process.
func kills(t *testing.T) int {
	t.Helper()
	text := os.Getenv("KILLS")
	if text == "" {
		return 6
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("KILLS: %v", err)
	}
	return n
}

// TestAProcessIsKilledWhileItSaves kills an operator at random moments, and writes all the time, also while none runs. At the end
// everything has to be as if it had never been killed.
func TestAProcessIsKilledWhileItSaves(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	s := &scribe{Namespace: newNamespace(t, api), Memory: t.TempDir(), Work: t.TempDir()}
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // any number will do
	t.Logf("seed %d", seed)
	w := &unrest{t: t, api: api, namespace: s.Namespace, rng: rand.New(rand.NewPCG(seed, 0)), step: 1}
	env := bequeath(t, config)
	used := 0
	for range kills(t) {
		p := startScribe(t, s, env)
		for range w.rng.IntN(6) {
			w.write()
		}
		time.Sleep(time.Duration(w.rng.IntN(1500)) * time.Millisecond)
		_ = p.Process.Kill()
		_ = p.Wait()
		if os.Remove(filepath.Join(s.Work, compared)) == nil {
			used++
		}
		for range w.rng.IntN(6) {
			w.write()
		}
	}
	p := startScribe(t, s, env)
	want := map[string]string{}
	await.Until(t, "all files to be right", func() bool {
		want = w.judge()
		have := s.files(t)
		for name := range have { // nobody tells a process of a widget that it has never saved, and that went while it was away
			if _, there := want[name]; !there {
				delete(have, name)
			}
		}
		return maps.Equal(want, have)
	})
	_ = p.Process.Kill()
	_ = p.Wait()
	t.Logf("%d of %d processes were told what had changed since the one before; there are %d widgets", used, kills(t), len(want))
	if used == 0 {
		t.Error("nobody was told what had changed: was the memory used?")
	}
}

// startScribe starts the process, and waits until it has begun.
func startScribe(t *testing.T, s *scribe, env string) *exec.Cmd {
	t.Helper()
	p := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	p.Env = append(os.Environ(), processOf+"="+s.String(), env)
	p.Stderr = os.Stderr
	said, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "begins\n" {
		t.Fatalf("the process says %q (%v)", line, err)
	}
	return p
}

// files are what the process has written.
func (s *scribe) files(t *testing.T) map[string]string {
	t.Helper()
	all, err := os.ReadDir(s.Work)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range all {
		text, err := os.ReadFile(filepath.Join(s.Work, file.Name()))
		if err == nil && file.Name() != compared {
			texts[file.Name()] = string(text)
		}
	}
	return texts
}

// unrest writes at random.
type unrest struct {
	t         *testing.T
	api       client.Client
	namespace string
	rng       *rand.Rand
	step      int
}

const scribed = 12 // widgets

// write makes, changes or removes a widget or a config map. Values come again, so that changes are undone, too.
func (w *unrest) write() {
	w.t.Helper()
	w.step++
	k, name := widgets, fmt.Sprint("w-", w.rng.IntN(scribed))
	if w.rng.IntN(3) == 0 {
		k, name = configMaps, fmt.Sprint(name, ".", w.rng.IntN(2))
	}
	obj := k.with(client.ObjectKey{Namespace: w.namespace, Name: name}, fmt.Sprint(w.rng.IntN(3)))
	var err error
	if w.rng.IntN(6) == 0 {
		err = client.IgnoreNotFound(w.api.Delete(w.t.Context(), obj))
	} else if err = w.api.Create(w.t.Context(), obj.DeepCopy()); apierrors.IsAlreadyExists(err) {
		bare := k.object()
		bare.SetNamespace(w.namespace)
		bare.SetName(name)
		value := map[string]any{"spec": obj.Object["spec"], "metadata": map[string]any{"labels": map[string]any{stepLabel: fmt.Sprint(w.step)}}}
		if k.Group == "" {
			delete(value, "spec")
			value["data"] = obj.Object["data"]
		}
		patch, _ := json.Marshal(value) //nolint:errchkjson // texts
		err = w.api.Patch(w.t.Context(), bare, client.RawPatch("application/merge-patch+json", patch))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// judge asks the server what the files have to say.
func (w *unrest) judge() map[string]string {
	w.t.Helper()
	want := map[string]string{}
	for i := range scribed {
		key := client.ObjectKey{Namespace: w.namespace, Name: fmt.Sprint("w-", i)}
		text, err := said(w.t.Context(), w.api, key)
		switch {
		case err == nil:
			want[key.Name] = text
		case !apierrors.IsNotFound(err):
			w.t.Fatal(err)
		}
	}
	return want
}
