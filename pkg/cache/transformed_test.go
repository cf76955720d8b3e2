package cache

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// lean is a small object of the user's own.
type lean struct {
	metav1.ObjectMeta
}

// changing are transforms that leave little of what a server has sent.
var changing = map[string]crtools.TransformFunc{
	"without a kind": func(obj any) (any, error) {
		u := obj.(*unstructured.Unstructured)
		delete(u.Object, "kind")
		delete(u.Object, "apiVersion")
		return u, nil
	},
	"another type": func(obj any) (any, error) {
		u := obj.(*unstructured.Unstructured)
		return &lean{metav1.ObjectMeta{
			Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
		}}, nil
	},
	"without a version": func(obj any) (any, error) {
		obj.(*unstructured.Unstructured).SetResourceVersion("")
		return obj, nil
	},
}

// TestMissedDeletionsAfterATransform lists again, in both ways, when an object has gone. The others are unchanged.
func TestMissedDeletionsAfterATransform(t *testing.T) {
	for name, transform := range changing {
		for _, streaming := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, streaming %t", name, streaming), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { relistTransformed(t, transform, streaming) })
			})
		}
	}
}

func relistTransformed(t *testing.T, transform crtools.TransformFunc, streaming bool) {
	var fewer atomic.Bool
	names := func() []string {
		if fewer.Load() {
			return []string{"1", "3"}
		}
		return []string{"1", "2", "3"}
	}
	server := answers{"configmaps": func(r *http.Request) (*http.Response, error) {
		switch query := r.URL.Query(); {
		case query.Has("sendInitialEvents") && !streaming:
			return refusal(http.StatusBadRequest)(r)
		case query.Has("sendInitialEvents"):
			return respond(http.StatusOK, &slowBody{ctx: r.Context(), parts: initialEvents(r, names())}), nil
		case query.Get("watch") == "true":
			return respond(http.StatusOK, &slowBody{ctx: r.Context()}), nil
		}
		list := listOfOne(r, 0, "")
		for _, name := range names() {
			list["items"] = append(list["items"].([]any), object(r, name))
		}
		return respond(http.StatusOK, encode(list)), nil
	}}
	c := cacheOver(t, server, crcache.Options{Mapper: newMapper(), DefaultTransform: transform}, Options{})
	run(t, c)
	synctest.Wait()
	u := mapOf(configMapGVK)
	informer := informerOf(t, c, u)
	if !c.WaitForCacheSync(t.Context()) {
		t.Fatal("the cache has not synced")
	}
	fewer.Store(true)
	must(t, c.Relist(t.Context(), u))
	synctest.Wait()
	keys := informer.(crtools.SharedIndexInformer).GetStore().ListKeys()
	slices.Sort(keys)
	if want := []string{"red/n1", "red/n3"}; !slices.Equal(keys, want) {
		t.Errorf("after a list without one of them the cache has %v, want %v", keys, want)
	}
}

// initialEvents are the events of a streaming list.
func initialEvents(r *http.Request, names []string) (parts [][]byte) {
	for _, name := range names {
		parts = append(parts, encode(map[string]any{"type": "ADDED", "object": object(r, name)}).Bytes())
	}
	end := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
		"resourceVersion": "3", "annotations": map[string]any{metav1.InitialEventsAnnotationKey: "true"},
	}}
	return append(parts, encode(map[string]any{"type": "BOOKMARK", "object": end}).Bytes())
}

// TestWhatIsSetOnAnInformer sets on an informer of a cache, before the cache starts, what client-go's informers let their
// callers set. It takes the place of what the cache's options say, with controller-runtime's cache too.
func TestWhatIsSetOnAnInformer(t *testing.T) {
	for name, create := range map[string]func(*rest.Config, crcache.Options) (crcache.Cache, error){"ours": New, "theirs": crcache.New} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { setAndStart(t, create) })
		})
	}
}

func setAndStart(t *testing.T, create func(*rest.Config, crcache.Options) (crcache.Cache, error)) {
	var up atomic.Bool
	server := answers{"configmaps": func(r *http.Request) (*http.Response, error) {
		switch query := r.URL.Query(); {
		case !up.Load():
			return refusal(http.StatusInternalServerError)(r)
		case query.Has("sendInitialEvents"):
			return respond(http.StatusOK, &slowBody{ctx: r.Context(), parts: initialEvents(r, []string{"1"})}), nil
		case query.Get("watch") == "true":
			return respond(http.StatusOK, &slowBody{ctx: r.Context()}), nil
		}
		return respond(http.StatusOK, encode(listOfOne(r, 1, ""))), nil
	}}
	labelled := func(by string) crtools.TransformFunc {
		return func(obj any) (any, error) {
			about := obj.(*corev1.ConfigMap)
			about.Labels = map[string]string{"by": by}
			return about, nil
		}
	}
	c, err := create(&rest.Config{Host: "http://nowhere", QPS: -1}, crcache.Options{
		Mapper: newMapper(), HTTPClient: &http.Client{Transport: server}, DefaultTransform: labelled("the options"),
		DefaultWatchErrorHandler: func(_ context.Context, _ *crtools.Reflector, err error) {
			t.Errorf("the options' handler is told: %v", err)
		},
	})
	must(t, err)
	got := informerOf(t, c, configMaps, crcache.BlockUntilSynced(false))
	i := got.(crtools.SharedIndexInformer)
	if err := errors.Join(
		i.SetTransform(labelled("the caller")),
		i.SetWatchErrorHandler(func(*crtools.Reflector, error) { up.Store(true) }),
	); err != nil {
		t.Fatal(err)
	}
	start(t, c)
	for _, obj := range i.GetStore().List() {
		if by := obj.(*corev1.ConfigMap).Labels["by"]; by != "the caller" {
			t.Errorf("the object went through the transform of %q, want that of the caller", by)
		}
	}
	if n := len(i.GetStore().ListKeys()); n != 1 {
		t.Errorf("the cache has %d objects, want 1", n)
	}
}

// TestTheLastWriteIsReadBeforeATransform asks who wrote an object, which a transform may remove from it.
func TestTheLastWriteIsReadBeforeATransform(t *testing.T) {
	asIs := func(obj any) (any, error) { return obj, nil }
	k := new(kind)
	k.byName.Store(&map[string]settings{"": {}, "red": {Config: crcache.Config{Transform: asIs}}})
	written := func(namespace string) *delta.Origin {
		obj := configMap(namespace, "a")
		obj.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "m", Operation: metav1.ManagedFieldsOperationUpdate, Time: &metav1.Time{}}}
		return k.lastWrite(obj)
	}
	if got := written("red"); got == nil || got.Manager != "m" {
		t.Errorf("where a transform follows it is %v, want m", got)
	}
	if got := written("blue"); got != nil {
		t.Errorf("where no transform follows it is %v, and the object says the same", got)
	}
	k.hooks.Transform.Set(asIs)
	if got := written("blue"); got == nil || got.Manager != "m" {
		t.Errorf("where a transform follows that was set on the informer it is %v, want m", got)
	}
	k.hooks.Transform.Set(nil)
	if got := written("red"); got != nil {
		t.Errorf("none was set on the informer instead of the options' transform, and it is %v", got)
	}
}

// dice always fall alike.
func dice() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// TestNothingIsKnownAfterATransform lists an object whose transform has given it the version that it now has.
func TestNothingIsKnownAfterATransform(t *testing.T) {
	for _, l := range tongues {
		t.Run(l.name, func(t *testing.T) {
			pods := somePods(dice(), 1)
			ours, _ := l.readers(t, &sent{contentType: l.contentType(), body: l.list(t, "5", pods), rng: dice()})
			reader := ours.(*byteReader)
			reader.settings.Transform = func(obj any) (any, error) { return obj, nil }
			stored := pods[0].DeepCopy()
			stored.Labels = map[string]string{"made": "by a transform"}
			known(ours, stored)
			if _, err := ours.Each(t.Context(), metav1.ListOptions{}, func(item listwatch.Item[any]) {
				if item.Known || item.Obj == any(stored) {
					t.Error("what a transform has made is taken for what the server has")
				}
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRelativesAreComplete reads a watch, and looks which object others would share with before and after it has its final form.
func TestRelativesAreComplete(t *testing.T) {
	for _, l := range tongues {
		t.Run(l.name, func(t *testing.T) {
			rng := dice()
			pod := somePods(rng, 1)[0]
			mark := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}}
			body := append(l.event(t, "ADDED", l.shown(t, pod)), l.event(t, "BOOKMARK", l.shown(t, mark))...)
			ours, _ := l.readers(t, &sent{contentType: l.contentType(), body: body, rng: rng})
			k := ours.(*byteReader).of
			k.kin = &relatives{known: func(delta.Key) (any, bool) { return nil, false }}
			events, _ := allOf(t, ours)
			if len(events) != 2 {
				t.Fatalf("there are %d events", len(events))
			}
			if like := k.kin.Like(""); like != nil {
				t.Errorf("others would share with %v, which is not complete, or a bookmark", like)
			}
			obj, err := k.transform()(events[0].New)
			must(t, err)
			if like := k.kin.Like(""); like != obj {
				t.Errorf("others would share with %v", like)
			}
			if got := obj.(client.Object).GetObjectKind().GroupVersionKind(); l.form == metadataForm && got != podKind {
				t.Errorf("it is a %v", got)
			}
		})
	}
}
