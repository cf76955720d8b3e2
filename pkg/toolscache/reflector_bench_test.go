package toolscache

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// discard is a store that keeps nothing, so that the Reflector alone is measured.
type discard struct {
	ends func(version string)
	last string
}

func (d *discard) Add(any) error                   { return nil }
func (d *discard) Update(any) error                { return nil }
func (d *discard) Delete(any) error                { return nil }
func (d *discard) Resync() error                   { return nil }
func (d *discard) UpdateResourceVersion(v string)  { d.check(v) }
func (d *discard) Replace(_ []any, v string) error { d.check(v); return nil }
func (d *discard) check(version string) {
	if version == d.last {
		d.ends(version)
	}
}

// lister lists once and then watches what is in events.
type lister struct {
	list   func() runtime.Object
	events chan watch.Event
}

func (l *lister) List(metav1.ListOptions) (runtime.Object, error)   { return l.list(), nil }
func (l *lister) Watch(metav1.ListOptions) (watch.Interface, error) { return l, nil }
func (l *lister) IsWatchListSemanticsUnSupported() bool             { return true }
func (l *lister) ResultChan() <-chan watch.Event                    { return l.events }
func (l *lister) Stop()                                             {}

// reflectors are ours and client-go's, by name.
var reflectors = map[string]func(cache.ListerWatcher, cache.ReflectorStore) func(context.Context) error{
	"ours": func(lw cache.ListerWatcher, s cache.ReflectorStore) func(context.Context) error {
		return NewReflector(lw, &corev1.ConfigMap{}, s, 0).ListAndWatchWithContext
	},
	"incumbent": func(lw cache.ListerWatcher, s cache.ReflectorStore) func(context.Context) error {
		return cache.NewReflector(lw, &corev1.ConfigMap{}, s, 0).ListAndWatchWithContext
	},
}

// BenchmarkReflectorWatch is one event of a watch, decoded already.
func BenchmarkReflectorWatch(b *testing.B) {
	for _, name := range []string{"ours", "incumbent"} {
		b.Run(name, func(b *testing.B) {
			events := make(chan watch.Event, b.N)
			for i := range b.N {
				events <- watch.Event{Type: watch.Modified, Object: configMap("a", fmt.Sprint(10+i))}
			}
			ctx, stop := context.WithCancel(b.Context())
			lw := &lister{events: events, list: func() runtime.Object {
				return &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "5"}}
			}}
			run := reflectors[name](lw, &discard{last: fmt.Sprint(10 + b.N - 1), ends: func(string) { stop() }})
			b.ReportAllocs()
			b.ResetTimer()
			if err := run(ctx); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkReflectorList is one object of a list, decoded already.
func BenchmarkReflectorList(b *testing.B) {
	for _, name := range []string{"ours", "incumbent"} {
		b.Run(name, func(b *testing.B) {
			list := &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "5"}}
			for i := range b.N {
				list.Items = append(list.Items, *configMap(fmt.Sprint("a", i), "1"))
			}
			ctx, stop := context.WithCancel(b.Context())
			lw := &lister{events: make(chan watch.Event), list: func() runtime.Object { return list }}
			run := reflectors[name](lw, &discard{last: "5", ends: func(string) { stop() }})
			b.ReportAllocs()
			b.ResetTimer()
			if err := run(ctx); err != nil {
				b.Fatal(err)
			}
		})
	}
}
