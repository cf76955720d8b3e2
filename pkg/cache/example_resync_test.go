package cache_test

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// A policy for one kind, changed while the cache runs. A handler that wants to know
// compares the pointers: a resync shows the very same object twice.
func ExampleCache_SetResync() {
	cache.ServeExample(cache.Options{
		Default: cache.KindOptions{Resync: resync.Policy{Period: 10 * time.Hour, Spread: resync.OverPeriod, Jitter: 0.1}},
	}, func(ctx context.Context, c crcache.Cache) error {
		shown := make(chan string, 1)
		informer, err := c.GetInformer(ctx, &corev1.ConfigMap{})
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
			if before != after {
				return // something has changed
			}
			select {
			case shown <- after.(*corev1.ConfigMap).Name:
			default:
			}
		}}); err != nil {
			return err
		}
		ours, err := cache.Unwrap(c) // c is what mgr.GetCache() returns
		if err != nil {
			return err
		}
		err = ours.SetResync(&corev1.ConfigMap{}, resync.Policy{
			Period:   10 * time.Millisecond, // of a demonstration
			Selector: labels.SelectorFromSet(labels.Set{"name": "b"}),
		})
		fmt.Println(<-shown, "was shown again, unchanged")
		return err
	})
	// Output: b was shown again, unchanged
}

// Objects can be shown again whenever somebody wants that, and whatever the policy is;
// and a whole kind can be listed again.
func ExampleCache_Resync() {
	cache.ServeExample(cache.Options{}, func(ctx context.Context, c crcache.Cache) error {
		shown := make(chan string)
		informer, err := c.GetInformer(ctx, &corev1.ConfigMap{})
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(_, after any) {
			shown <- after.(*corev1.ConfigMap).Name
		}}); err != nil {
			return err
		}
		ours, err := cache.Unwrap(c)
		if err != nil {
			return err
		}
		onlyC := labels.SelectorFromSet(labels.Set{"name": "c"})
		if err := ours.Resync(ctx, &corev1.ConfigMap{}, onlyC); err != nil {
			return err
		}
		fmt.Println(<-shown)
		return nil
	})
	// Output: c
}

func ExampleCache_Relist() {
	cache.ServeExample(cache.Options{}, func(ctx context.Context, c crcache.Cache) error {
		if _, err := c.GetInformer(ctx, &corev1.ConfigMap{}); err != nil {
			return err
		}
		ours, err := cache.Unwrap(c)
		if err != nil {
			return err
		}
		before := ours.Status()[0].Informer.Reflector.ListedAt
		if err := ours.Relist(ctx, &corev1.ConfigMap{}); err != nil {
			return err
		}
		fmt.Println("listed again:", ours.Status()[0].Informer.Reflector.ListedAt.After(before))
		return nil
	})
	// Output: listed again: true
}
