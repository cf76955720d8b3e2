package manager_test

import (
	"context"
	"fmt"
	"os"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

func ExampleConfigure() {
	opts := options() // those of your main
	if err := drmanager.Configure(&opts); err != nil {
		panic(err)
	}
	mgr, err := ctrl.NewManager(nowhere, opts)
	if err != nil {
		panic(err)
	}
	_, ours := mgr.GetCache().(*cache.Cache)
	fmt.Println("our cache:", ours)
	// Output: our cache: true
}

func ExampleWithCache() {
	opts := options()
	err := drmanager.Configure(&opts, drmanager.WithCache(cache.Options{ListsAtOnce: 2}))
	fmt.Println(err, opts.NewCache != nil)
	// Output: <nil> true
}

func ExampleWithMemory() {
	dir, err := os.MkdirTemp("", "memory") // a volume of the container
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	opts := options()
	err = drmanager.Configure(&opts, drmanager.WithMemory(dir, drmanager.MemoryOptions{Every: time.Minute}))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleWithGC() {
	opts := options()
	err := drmanager.Configure(&opts, drmanager.WithGC(100)) // as without it; 200 to 300 if much is read
	fmt.Println(err)
	// Output: <nil>
}

func ExampleNewClient() {
	opts := options()
	opts.NewClient = drmanager.NewClient // as Configure does
	mgr, err := ctrl.NewManager(nowhere, opts)
	if err != nil {
		panic(err)
	}
	fmt.Println("remembers its writes:", drmanager.OwnWrites(mgr.GetClient()) != nil)
	// Output: remembers its writes: true
}

func ExampleRecordWrites() {
	api := fake.NewClientBuilder().Build() // mgr.GetClient() in an operator
	c := drmanager.RecordWrites(api, nil)
	obj := web()
	if err := c.Create(context.Background(), obj); err != nil {
		panic(err)
	}
	fmt.Println(drmanager.OwnWrites(c).Made(obj.UID, "", obj.ResourceVersion))
	// Output: true
}

func ExampleWithWrites() {
	shared := drmanager.NewWrites(100_000)
	opts := options()
	if err := drmanager.Configure(&opts, drmanager.WithWrites(shared)); err != nil {
		panic(err)
	}
	mgr, err := ctrl.NewManager(nowhere, opts)
	if err != nil {
		panic(err)
	}
	fmt.Println(drmanager.OwnWrites(mgr.GetClient()) == shared)
	// Output: true
}
