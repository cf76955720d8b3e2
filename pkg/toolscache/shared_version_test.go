package toolscache

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

func labelled(name, version, color string) *corev1.ConfigMap {
	o := configMap(name, version)
	o.Labels = map[string]string{"color": color}
	return o
}

// bothInformers has a script play with client-go's shared informer and with ours, and
// compares what they say of it.
func bothInformers(t *testing.T, play func(api *quiet, informer cache.SharedIndexInformer, say func(...any))) {
	t.Helper()
	var said [2][]string
	for side, make := range []func(cache.ListerWatcher, *corev1.ConfigMap) cache.SharedIndexInformer{
		func(lw cache.ListerWatcher, example *corev1.ConfigMap) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(lw, example, 0, cache.Indexers{"color": byLabel("color")})
		},
		func(lw cache.ListerWatcher, example *corev1.ConfigMap) cache.SharedIndexInformer {
			return NewSharedIndexInformer(lw, example, 0, cache.Indexers{"color": byLabel("color")})
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			api := newQuiet("a")
			s := make(api, &corev1.ConfigMap{})
			g := lifecycle.New(t.Context())
			g.Guest("informer", s.RunWithContext)
			synctest.Wait()
			play(api, s, func(what ...any) { said[side] = append(said[side], fmt.Sprintln(what...)) })
			g.Stop()
			_ = g.Wait()
		})
	}
	if !slices.Equal(said[0], said[1]) {
		t.Errorf("client-go says\n%s, ours\n%s", said[0], said[1])
	}
}

// found says which objects are under each color, as they are known by now.
func found(s cache.SharedIndexInformer) string {
	text := ""
	for _, color := range []string{"r", "g", "b"} {
		objs, err := s.GetIndexer().ByIndex("color", color)
		if err != nil {
			return err.Error()
		}
		for _, obj := range objs {
			o := obj.(*corev1.ConfigMap)
			text += fmt.Sprintf("%s: %s=%s ", color, o.Name, o.Labels["color"])
		}
	}
	return text
}

// An object that is written into the store from outside may have the version of what was
// there before, as in tests that give all their objects the same one.
func TestSeedingAtAKnownVersion(t *testing.T) {
	bothInformers(t, func(_ *quiet, s cache.SharedIndexInformer, say func(...any)) {
		for _, color := range []string{"r", "g", "b"} {
			if err := s.GetIndexer().Update(labelled("seeded", "1", color)); err != nil {
				t.Error(err)
			}
			say("after", color, "found", found(s))
		}
		if err := s.GetIndexer().Replace([]any{labelled("seeded", "1", "r")}, "1"); err != nil {
			t.Error(err)
		}
		say("after all are replaced, found", found(s))
	})
}

// A server may send changes without a new version: both store what comes, and say so.
func TestWatchEventAtAKnownVersion(t *testing.T) {
	bothInformers(t, func(api *quiet, s cache.SharedIndexInformer, say func(...any)) {
		if _, err := s.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(old, obj any) {
			say("updated", old.(*corev1.ConfigMap).Labels, obj.(*corev1.ConfigMap).Labels)
		}}); err != nil {
			t.Error(err)
		}
		for _, color := range []string{"r", "g"} {
			api.watched.Modify(labelled("a", "1", color))
			synctest.Wait()
			say("found", found(s))
		}
		api.watched.Add(labelled("a", "1", "b"))
		synctest.Wait()
		say("found", found(s))
	})
}
