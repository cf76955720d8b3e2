package cache

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// lateMapper knows nothing until it is told that everything is there.
type lateMapper struct {
	meta.RESTMapper
	there atomic.Bool
}

func (m *lateMapper) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if !m.there.Load() {
		return nil, &meta.NoKindMatchError{GroupKind: kind, SearchedVersions: versions}
	}
	return m.RESTMapper.RESTMapping(kind, versions...)
}

func limitedTo(namespaces ...string) crcache.Options {
	return crcache.Options{DefaultNamespaces: in(crcache.Config{}, namespaces...)}
}

func count(t *testing.T, c crcache.Cache) int {
	t.Helper()
	var list corev1.ConfigMapList
	must(t, c.List(t.Context(), &list))
	return len(list.Items)
}

func TestNamespacesComeAndGo(t *testing.T) {
	for name, how := range map[string]informer.Removal{"silently": informer.Silently, "as out of scope": informer.AsOutOfScope} {
		t.Run(name, func(t *testing.T) { comeAndGo(t, how) })
	}
}

func comeAndGo(t *testing.T, how informer.Removal) {
	t.Helper()
	f := newFakeAPI(t)
	for _, namespace := range []string{"red", "blue", "green"} {
		f.put(configMap(namespace, "a"))
	}
	c := newCache(t, f, limitedTo("red"), Options{})
	i := informerOf(t, c, configMaps)
	told := make(chan string, 10)
	handle(t, i, crtools.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { told <- "add " + obj.(*corev1.ConfigMap).Namespace },
		DeleteFunc: func(any) { told <- "delete" },
	})
	start(t, c)
	expect := func(want string) {
		t.Helper()
		if got := <-told; got != want {
			t.Fatalf("the handler was told: %s, want %s", got, want)
		}
	}
	expect("add red")
	if err := get(t, c, "blue", "a"); !errors.Is(err, informer.ErrNotCovered) {
		t.Errorf("reading in a namespace that is not covered returns %v", err)
	}
	must(t, c.AddNamespace(t.Context(), "blue", crcache.Config{}))
	expect("add blue")
	if err := get(t, c, "blue", "a"); err != nil {
		t.Error(err)
	}
	if n := count(t, c); n != 2 {
		t.Errorf("there are %d objects, want 2", n)
	}
	must(t, c.RemoveNamespace(t.Context(), "red", how))
	if err := get(t, c, "red", "a"); !errors.Is(err, informer.ErrNotCovered) {
		t.Errorf("reading in a removed namespace returns %v", err)
	}
	if k := (*c.kinds.Load())[kindID{gvk: corev1.SchemeGroupVersion.WithKind("ConfigMap"), form: typedForm}]; !k.copies("red") {
		t.Error("a read that has just found something there would not copy it")
	}
	if n := count(t, c); n != 1 {
		t.Errorf("there are %d objects, want 1", n)
	}
	must(t, c.AddNamespace(t.Context(), "green", crcache.Config{}))
	expect("add green") // and so nothing of red
	scopes := map[string]informer.ScopeStatus{}
	for _, scope := range c.Status()[0].Informer.Scopes {
		scopes[scope.Namespace] = scope
	}
	if _, red := scopes["red"]; red || scopes["green"].Version != "3" || scopes["green"].HeardAt.IsZero() {
		t.Errorf("the scopes are %+v, want none of red, and version 3 of green", scopes)
	}
	// A kind that is asked for later has the namespaces of then.
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "red", Name: "s"}, &corev1.Secret{}); !errors.Is(err, informer.ErrNotCovered) {
		t.Errorf("another kind in the removed namespace: %v", err)
	}
}

func TestNamespacesThatCannotBe(t *testing.T) {
	f := newFakeAPI(t)
	all, some, two := newCache(t, f, crcache.Options{}, Options{}), newCache(t, f, limitedTo("red"), Options{}), newCache(t, f, limitedTo("red", "blue"), Options{})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"add to all":        {all.AddNamespace(t.Context(), "red", crcache.Config{}), "the cache covers all namespaces"},
		"add twice":         {some.AddNamespace(t.Context(), "red", crcache.Config{}), "it is there already"},
		"add all":           {some.AddNamespace(t.Context(), "", crcache.Config{}), "all namespaces can't be added to some"},
		"add nonsense":      {some.AddNamespace(t.Context(), "../x", crcache.Config{}), "is not a namespace"},
		"add a list":        {some.AddNamespace(t.Context(), "blue,green", crcache.Config{}), `"blue,green" is not a namespace`},
		"remove no way":     {two.RemoveNamespace(t.Context(), "red", 0), "neither informer.Silently nor informer.AsOutOfScope"},
		"remove the last":   {some.RemoveNamespace(t.Context(), "red", informer.Silently), "would cover all namespaces"},
		"remove a stranger": {some.RemoveNamespace(t.Context(), "blue", informer.Silently), "not covered"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s returns %v, want an error about %q", name, c.err, c.want)
		}
	}
	if err := two.RemoveNamespace(t.Context(), "red", informer.Silently); err != nil {
		t.Errorf("after a call that was refused: %v", err)
	}
}

// TestAddNamespaceDoesNotWaitForAKindThatMayBeMissing adds a namespace while a kind is refused.
func TestAddNamespaceDoesNotWaitForAKindThatMayBeMissing(t *testing.T) {
	for name, refused := range map[string]answer{"forbidden": refusal(http.StatusForbidden), "missing": refusal(http.StatusNotFound)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := answers{"secrets": refused, "configmaps": pages(1, time.Minute, emptyList)}
				c := limitedOver(t, server, Options{ByObject: map[client.Object]KindOptions{&corev1.Secret{}: {Missing: WaitForIt}}}, fakeMapper())
				run(t, c)
				synctest.Wait() // it has started
				for _, obj := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}} {
					informerOf(t, c, obj)
				}
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if err := c.AddNamespace(ctx, "blue", crcache.Config{}); err != nil {
					t.Error(err)
				}
				if waited := time.Since(began); waited != time.Minute {
					t.Errorf("it waited for %s, and the other kind takes a minute", waited)
				}
				if err := c.List(ctx, &corev1.ConfigMapList{}, client.InNamespace("blue")); err != nil {
					t.Error(err)
				}
				if err := c.List(ctx, &corev1.SecretList{}, client.InNamespace("blue")); !errors.Is(err, informer.ErrNotSynced) {
					t.Errorf("reading the missing kind returns %v", err)
				}
			})
		})
	}
}
