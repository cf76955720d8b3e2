package memory

import (
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// process is a process with a memory: one kind, and one controller that watches it by the objects' own keys.
type process struct {
	t      *testing.T
	memory *Memory
	kind   *things
	clerk  ledger.Clerk[reconcile.Request, delta.Change, delta.Cause, delta.Changes]
	stream ledger.Stream[reconcile.Request, delta.Change]
	// recalled is what the kind has begun with, nil for a list.
	recalled []string
}

// place is where processes live: a directory, and a server that says what it is.
type place struct {
	dir     string
	key     []byte
	program Program
	server  Server
	uid     string // of the cluster
	hash    string // of the description of the kind
	print   string // of the kind
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), program: Program{Build: "1", Config: "1"}, uid: "cluster", hash: "1", print: "all"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text := `{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=` + p.hash + `"}}}`
		if r.URL.Path != "/openapi/v3" {
			text = `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"kube-system","uid":"` + p.uid + `"}}`
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	p.server = Server{Config: &rest.Config{Host: server.URL}, HTTP: server.Client()}
	t.Cleanup(server.Client().CloseIdleConnections)
	return p
}

const (
	controller = "the controller"
	kindName   = "v1 Thing"
)

// open begins a process, without its kind and its controller. It may fail.
func (p *place) open(t *testing.T) (*process, error) {
	t.Helper()
	m, err := New(Options{Dir: p.dir, Key: p.key, Program: p.program, Log: logr.Discard()})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = m.Close() })
	return &process{t: t, memory: m, kind: &things{print: p.print, objects: map[string]string{}}}, nil
}

// start begins a process whose kind has these objects, if nothing was saved. All are told to the controller.
func (p *place) start(t *testing.T, objects map[string]string) *process {
	t.Helper()
	made, err := p.open(t)
	if err != nil {
		t.Fatal(err)
	}
	made.begin(p, objects)
	return made
}

func (p *process) begin(at *place, objects map[string]string) {
	made := delta.NewLedger[reconcile.Request](delta.LedgerOptions{})
	p.clerk = made.Clerk()
	p.clerk.Keep(ledger.Identity[reconcile.Request]{
		Request: func(r reconcile.Request) uint64 { return p.memory.Hash('r', r.Namespace, r.Name) },
		Object:  func(namespace, name string) uint64 { return p.memory.Hash('o', namespace, name) },
		Took:    func(request uint64, in ledger.Memories) { p.memory.Took(controller, request, in) },
	})
	p.memory.AddLedger(controller, p.clerk)
	p.stream = p.clerk.NewStream("things", true)
	p.memory.AddKind(kindName, p.kind)
	found := p.memory.Recall(p.t.Context(), Question{
		Name: kindName, Kind: p.kind, Server: at.server, Decode: func(data []byte) (any, error) { return string(data), nil },
	})
	with, cause := ledger.WithList, delta.InitialList
	if found != nil {
		with, cause, objects = ledger.WithMemory, delta.Restart, map[string]string{}
		for _, obj := range found.Objs {
			name := obj.(string)
			p.recalled = append(p.recalled, name)
			objects[name] = "saved"
		}
		slices.Sort(p.recalled)
	}
	for name := range objects {
		p.kind.objects[name] = objects[name]
		p.tell(name, cause)
	}
	p.stream.Listed(with)
}

func request(name string) reconcile.Request {
	r := reconcile.Request{}
	r.Name = name
	return r
}

// tell has the controller hear of an object.
func (p *process) tell(name string, cause delta.Cause) {
	op := delta.Added
	if cause == delta.Restart {
		op = delta.Sync
	}
	d := p.stream.Begin(delta.Change{Cause: cause, Key: delta.Key{Name: name}, Op: op, Deltas: 1})
	d.Record(request(name))
	p.clerk.Landed(request(name))
	d.End()
}

// born has the controller hear of an object that has come into being.
func (p *process) born(name string) { p.tell(name, delta.Primary) }

// succeed has a worker deal with requests.
func (p *process) succeed(names ...string) {
	for _, name := range names {
		p.clerk.Take(request(name))
		p.clerk.Settle(request(name), ledger.Succeeded)
	}
}

// complete returns which of the requests are told that they know everything. A worker takes all of them.
func (p *process) complete(names ...string) []string {
	var all []string
	for _, name := range names {
		if p.clerk.Take(request(name)).Complete() {
			all = append(all, name)
		}
	}
	return all
}

func (p *process) save() {
	p.t.Helper()
	if _, err := p.memory.save(p.t.Context(), running); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) finish() {
	p.t.Helper()
	if err := p.memory.Finish(context.WithoutCancel(p.t.Context())); err != nil {
		p.t.Fatal(err)
	}
}

// kill leaves the directory as it is.
func (p *process) kill() {
	p.t.Helper()
	if err := p.memory.Close(); err != nil {
		p.t.Fatal(err)
	}
}

// things is a kind whose objects are names with a text.
type things struct {
	print   string
	objects map[string]string
}

func (k *things) Print() string        { return k.print }
func (k *things) GroupVersion() string { return "v1" }
func (k *things) ForgetRecalled()      {}
func (k *things) Cut() Cut             { return thingsCut{maps.Clone(k.objects)} }

func (k *things) Encode(buf []byte, obj any) ([]byte, error) {
	name, ok := obj.(string)
	if !ok {
		return nil, errors.New("it is not a name")
	}
	return append(buf, name...), nil
}

func (k *things) Encoder() func(buf []byte, obj any) ([]byte, error) { return k.Encode }

type thingsCut struct{ objects map[string]string }

func (c thingsCut) All() iter.Seq2[delta.Key, any] {
	return func(yield func(delta.Key, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(c.objects)) {
			if !yield(delta.Key{Name: name}, name) {
				return
			}
		}
	}
}

func (c thingsCut) Release()                                         {}
func (c thingsCut) At() (version string, changes uint64, whole bool) { return "7", 0, false }

// files returns the files of a directory, with their contents.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range found {
		if all[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// restore makes the directory what it was.
func restore(t *testing.T, dir string, all map[string][]byte) {
	t.Helper()
	for name := range files(t, dir) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
