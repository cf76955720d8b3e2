package operator

import (
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ourbuilder "github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	ourmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// adoption is a way to use our cache in an operator that the documents show.
type adoption struct {
	name string
	// configure puts our cache into a manager's options.
	configure func(*manager.Options) error
	// control makes a manager call a reconciler for a kind.
	control func(manager.Manager, client.Object, reconcile.Reconciler) error
}

var adoptions = []adoption{
	{
		"one line of main.go",
		func(o *manager.Options) error {
			o.NewCache = cache.New
			return nil
		},
		func(m manager.Manager, of client.Object, r reconcile.Reconciler) error {
			return builder.ControllerManagedBy(m).For(of).Complete(r)
		},
	},
	{
		"Configure and our builder",
		func(o *manager.Options) error { return ourmanager.Configure(o) },
		func(m manager.Manager, of client.Object, r reconcile.Reconciler) error {
			return ourbuilder.ControllerManagedBy(m).For(of).Complete(r)
		},
	},
}
