package cache

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// serve runs a cache for an example, over an API with three ConfigMaps.
func serve(made func(f *fakeAPI) (crcache.Cache, error), use func(context.Context, crcache.Cache) error) {
	f := startFakeAPI()
	defer f.end()
	for _, name := range []string{"a", "b", "c"} {
		f.put(configMap("red", name))
	}
	c, err := made(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	group := lifecycle.New(context.Background())
	group.Go("cache", c.Start)
	group.Go("example", func(ctx context.Context) error {
		c.WaitForCacheSync(ctx)
		return use(ctx, c)
	})
	if err := group.Wait(); err != nil {
		fmt.Println(err)
	}
}

// A manager calls New for you: give it as NewCache in the manager's options.
func ExampleNew() {
	serve(func(api *fakeAPI) (crcache.Cache, error) {
		return New(api.config(), crcache.Options{Mapper: fakeMapper()})
	}, func(ctx context.Context, c crcache.Cache) error {
		var list corev1.ConfigMapList
		if err := c.List(ctx, &list, client.InNamespace("red"), client.MatchingLabels{"name": "b"}); err != nil {
			return err
		}
		fmt.Println(len(list.Items), "found:", list.Items[0].Name)
		return nil
	})
	// Output: 1 found: b
}

// A kind that may be missing does not keep the others from starting.
func ExampleNewWithOptions() {
	serve(func(api *fakeAPI) (crcache.Cache, error) {
		api.deny("secrets", 403)
		return NewWithOptions(api.config(), crcache.Options{Mapper: fakeMapper()}, Options{
			ByObject: map[client.Object]KindOptions{&corev1.Secret{}: {Missing: WaitForIt}},
		})
	}, func(ctx context.Context, c crcache.Cache) error {
		if err := c.List(ctx, &corev1.SecretList{}); err != nil {
			fmt.Println("Secrets can't be read now")
		}
		for _, kind := range c.(*Cache).Status() {
			fmt.Println(kind.Name, "synced:", kind.Synced, "degraded:", !kind.DegradedSince.IsZero())
		}
		return nil
	})
	// Output:
	// Secrets can't be read now
	// v1 Secret synced: false degraded: true
}
