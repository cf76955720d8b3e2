//go:build slow

package skip

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
	"github.com/delta-runtime/delta-runtime/internal/testing/relay"
)

// realServer is an API server over etcd, in processes of their own. A server in this process
// remembers all states of its objects: it watches them, on a line that is never cut.
//
//	world ──writes──▶ real ◀──watches── mirror ──▶ server: all states of all objects
//	                   ▲
//	                 line, which is cut
//	                   │
//	                managers
type realServer struct {
	memory *server
	plane  *controlplane.Plane
	line   *relay.Relay
	api    client.WithWatch // a client that does not use the line

	// writing is held until the memory has a write. So a reader of the memory finds every state
	// that somebody can have seen.
	writing sync.RWMutex

	mu     sync.Mutex // guards everything below
	dark   int        // how many callers want the line to be cut
	absent map[*kind]bool
	// compacted is the newest version when the past was last compacted away.
	compacted int64
}

// config returns the configuration for managers.
func (r *realServer) config() *rest.Config {
	config := r.plane.Config()
	config.Host = "https://" + r.line.Address()
	return config
}

// patience is the limit for every action of the server.
const patience = time.Minute

// await waits until the memory has a state of an object.
func (r *realServer) await(id objectID, is func(last *state) bool) *state {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		r.memory.mu.Lock()
		all := r.memory.past[id]
		r.memory.mu.Unlock()
		if len(all) > 0 && is(all[len(all)-1]) {
			return all[len(all)-1]
		}
	}
	panic(fmt.Sprintf("the server has not shown the write of %s", id))
}

// change creates the object if there is none, and calls do to change it. It returns the
// newest version, or zero if nothing has changed or the server does not have the kind.
func (r *realServer) change(id objectID, do func(object map[string]any)) int64 {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.isAbsent(id.kind) {
		return 0
	}
	r.memory.mu.Lock()
	before := r.memory.presentLocked(id)
	r.memory.mu.Unlock()
	var object map[string]any
	if before == nil {
		version, kind := id.kind.ToAPIVersionAndKind()
		object = map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"namespace": id.namespace, "name": id.name}}
		for field, value := range id.kind.content() {
			object[field] = value
		}
	} else {
		object = before.copied()
	}
	do(object)
	if before != nil && reflect.DeepEqual(object, before.object) {
		return 0
	}
	return r.write(id, before, object)
}

// write writes an object, and then its status, which is a resource of its own.
func (r *realServer) write(id objectID, before *state, object map[string]any) int64 {
	status, hasStatus := object["status"].(map[string]any)
	obj := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(object)}
	var err error
	if before == nil {
		err = r.api.Create(context.Background(), obj)
	} else {
		err = r.api.Update(context.Background(), obj)
	}
	if err == nil && hasStatus && !reflect.DeepEqual(obj.Object["status"], status) {
		if id.kind == deployment {
			status["replicas"] = int64(3) // there must not be fewer than are ready
		}
		obj.Object["status"] = status
		err = r.api.Status().Update(context.Background(), obj)
	}
	if err != nil {
		panic(fmt.Sprintf("write %s: %v", id, err))
	}
	version := versionOf(obj)
	return r.await(id, func(last *state) bool { return last.version >= version }).version
}

// remove deletes the object, and returns the version of the deletion.
func (r *realServer) remove(id objectID) int64 {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.memory.mu.Lock()
	before := r.memory.presentLocked(id)
	r.memory.mu.Unlock()
	if before == nil || r.isAbsent(id.kind) {
		return 0
	}
	if err := r.api.Delete(context.Background(), &unstructured.Unstructured{Object: before.copied()}); err != nil {
		panic(fmt.Sprintf("delete %s: %v", id, err))
	}
	return r.await(id, func(last *state) bool { return last.object == nil }).version
}

// written lets somebody else write an object, and waits until the memory has the write.
func (r *realServer) written(id objectID, write func() (version string)) {
	r.writing.Lock()
	defer r.writing.Unlock()
	if version, err := strconv.ParseInt(write(), 10, 64); err == nil {
		r.await(id, func(last *state) bool { return last.version >= version })
	}
}

// upToDate waits until the memory has all writes.
func (r *realServer) upToDate() {
	r.writing.RLock()
	r.writing.RUnlock() //nolint:staticcheck,gocritic // taking the lock is the waiting
}

// cut ends all watches.
func (r *realServer) cut() { r.line.Cut() }

// lose cuts the line until found is called, which also forgets the past.
func (r *realServer) lose() (found func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dark++
	r.line.Darken()
	return func() {
		r.compact()
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.dark--; r.dark == 0 {
			r.line.Lighten()
		}
	}
}

// compact forgets the past, unless nothing has happened since the last call.
func (r *realServer) compact() {
	r.memory.mu.Lock()
	newest := r.memory.version
	r.memory.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if newest <= r.compacted {
		return
	}
	r.compacted = newest
	if _, err := r.plane.Compact(context.Background()); err != nil {
		panic(fmt.Sprintf("compact the past: %v", err))
	}
}

func (r *realServer) isAbsent(k *kind) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.absent[k]
}

func (r *realServer) setAbsent(k *kind, absent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.absent[k] = absent
}

// uproot removes a custom kind that has no objects, until back is called.
func (r *realServer) uproot(k *kind) (back func()) {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.isAbsent(k) {
		return func() {}
	}
	r.setAbsent(k, true)
	if err := r.api.Delete(context.Background(), k.definition()); err != nil {
		panic(fmt.Sprintf("remove kind %s: %v", k, err))
	}
	r.until(func() bool {
		return apierrors.IsNotFound(r.api.Get(context.Background(), client.ObjectKeyFromObject(k.definition()), k.definition()))
	})
	return func() {
		r.define(k)
		r.setAbsent(k, false)
	}
}

// define makes the server know a custom kind.
func (r *realServer) define(k *kind) {
	if err := r.api.Create(context.Background(), k.definition()); err != nil && !apierrors.IsAlreadyExists(err) {
		panic(fmt.Sprintf("define kind %s: %v", k, err))
	}
	r.until(func() bool { return r.api.List(context.Background(), k.list(mapForm)) == nil })
}

func (r *realServer) until(done func() bool) {
	for end := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			panic("the server does not do what it was asked to do")
		}
	}
}

// definition is the CRD of a custom kind.
func (k *kind) definition() *unstructured.Unstructured {
	texts, numbers := map[string]any{"type": "string"}, map[string]any{"type": "integer"}
	fields := func(all map[string]any) map[string]any { return map[string]any{"type": "object", "properties": all} }
	definition := manifests.Definition(k.GroupVersionKind, fields(map[string]any{
		"spec":   fields(map[string]any{"name": texts, "size": numbers, "ref": texts, "poke": texts}),
		"status": fields(map[string]any{"phase": texts}),
	}))
	version := definition.Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	version["subresources"] = map[string]any{"status": map[string]any{}}
	return definition
}

// newReal prepares the shared control plane: it makes all kinds and namespaces.
func newReal(t *testing.T) *realServer {
	t.Helper()
	r := &realServer{plane: shared.ForTest(t), absent: map[*kind]bool{}}
	config := r.plane.Config()
	r.line = relay.New(t, strings.TrimPrefix(config.Host, "https://"))
	mapper := newMapper()
	mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, meta.RESTScopeRoot)
	mapper.Add(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}, meta.RESTScopeRoot)
	api, err := client.NewWithWatch(config, client.Options{HTTPClient: controlplane.HTTPClientForTest(t, config), Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	r.api = api
	for _, name := range []string{"one", "two"} {
		namespace := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
		}}
		if err := api.Create(t.Context(), namespace); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	for _, k := range allKinds {
		if k.typed == nil {
			r.define(k)
		}
	}
	return r
}

// begin removes everything of the last world, and returns the server that remembers the next
// one until end is called.
func (r *realServer) begin(t *testing.T) (memory *server, end func()) {
	t.Helper()
	for _, k := range allKinds {
		for _, namespace := range []string{"one", "two"} {
			list := k.list(mapForm)
			if err := r.api.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
				t.Fatal(err)
			}
			err := meta.EachListItem(list, func(item runtime.Object) error { return r.api.Delete(t.Context(), item.(client.Object)) })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	r.memory = newServer(true)
	r.memory.real = r
	return r.memory, r.mirror(t)
}
