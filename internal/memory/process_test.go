package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// place is where processes live: a directory, and a server that says which cluster it is.
type place struct {
	dir, uid, print string
	key             []byte
	forbidden       bool // to ask for the cluster
	failing         bool // it can't answer
	config          rest.Config
	every           time.Duration
	asked           func() // called when somebody asks for the cluster; nil: nothing
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{dir: t.TempDir(), uid: "one", print: "all", config: rest.Config{Host: "http://server"}}
}

// RoundTrip answers as the server does.
func (p *place) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.asked != nil {
		p.asked()
	}
	text, code := fmt.Sprintf(`{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"kube-system","uid":%q}}`, p.uid), http.StatusOK
	if p.forbidden {
		text, code = `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"Forbidden","code":403}`, http.StatusForbidden
	}
	if p.failing {
		text, code = `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"InternalError","code":500}`, http.StatusInternalServerError
	}
	return &http.Response{
		StatusCode: code, Request: r, Body: io.NopCloser(strings.NewReader(text)), Header: http.Header{"Content-Type": {"application/json"}},
	}, nil
}

// process is a process with a memory and one kind.
type process struct {
	*things

	t      *testing.T
	memory *Memory

	mu    sync.Mutex
	lines []string // of the log
}

const kindName = "v1 Thing"

// start begins a process whose kind has these objects, by name and version.
func (p *place) start(t *testing.T, objects map[string]string) *process {
	t.Helper()
	made := &process{t: t, things: &things{at: p, print: p.print, objects: objects}}
	log := funcr.New(func(_, args string) {
		made.mu.Lock()
		defer made.mu.Unlock()
		made.lines = append(made.lines, args)
	}, funcr.Options{})
	made.memory = New(Options{Dir: p.dir, Key: p.key, Every: p.every, Log: log})
	made.memory.AddKind(kindName, made.things)
	t.Cleanup(func() { _ = made.memory.Close() })
	return made
}

// read returns the versions that were saved, nil for nothing.
func (p *process) read() map[string]string {
	p.t.Helper()
	found := p.memory.Read(p.t.Context(), kindName, p.things, func(key delta.Key) (any, bool) {
		version, there := p.objects[key.Name]
		return thing(key.Name, version), there
	})
	if found == nil {
		return nil
	}
	all := map[string]string{}
	for key, obj := range found {
		all[key.Name] = obj.(*metav1.PartialObjectMetadata).ResourceVersion
	}
	return all
}

func (p *process) save() {
	p.t.Helper()
	must(p.t, p.memory.save(p.t.Context(), running))
}

func (p *process) finish() {
	p.t.Helper()
	must(p.t, p.memory.Finish(context.WithoutCancel(p.t.Context())))
}

// kill leaves the directory as it is.
func (p *process) kill() {
	p.t.Helper()
	must(p.t, p.memory.Close())
}

func (p *process) log() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// things is a kind whose objects have a name and a version.
type things struct {
	at      *place
	print   string
	objects map[string]string
	decoded []string
	broken  error         // of Encode
	slow    time.Duration // Encode takes this long
	encoded int
	forgot  bool

	unlisted bool // there is no snapshot yet
}

var _ Kind = &things{}

func thing(name, version string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid of " + name), ResourceVersion: version}}
}

func (k *things) Print() string { return k.print }

func (k *things) Server() Server {
	return Server{Config: &k.at.config, HTTP: &http.Client{Transport: k.at}}
}
func (k *things) ForgetSaved() { k.forgot = true }

func (k *things) Snapshot() Snapshot {
	if k.unlisted {
		return nil
	}
	return thingsNow(maps.Clone(k.objects))
}

func (k *things) Encode(buf []byte, obj any) ([]byte, error) {
	time.Sleep(k.slow)
	k.encoded++
	about := obj.(*metav1.PartialObjectMetadata)
	return fmt.Append(buf, about.Name, " ", about.ResourceVersion), k.broken
}

func (k *things) Decode(data []byte) (any, error) {
	name, version, ok := strings.Cut(string(data), " ")
	if !ok {
		return nil, errors.New("that was not written by a thing")
	}
	k.decoded = append(k.decoded, name)
	return thing(name, version), nil
}

type thingsNow map[string]string

func (s thingsNow) All() iter.Seq2[delta.Key, any] {
	return func(yield func(delta.Key, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(s)) {
			if !yield(delta.Key{Name: name}, thing(name, s[name])) {
				return
			}
		}
	}
}

func (thingsNow) Release() {}

// files returns the files of a directory, with their contents.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found, err := os.ReadDir(dir)
	must(t, err)
	all := map[string][]byte{}
	for _, f := range found {
		if all[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func sameFiles(a, b map[string][]byte) bool { return maps.EqualFunc(a, b, bytes.Equal) }
