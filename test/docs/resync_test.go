package docs

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// docs/guides/resync.md quotes from what follows, so it has to compile.

var _ = drmanager.WithCache(cache.Options{Default: cache.KindOptions{
	Resync: cache.ResyncPolicy{Period: 24 * time.Hour, Spread: cache.OverPeriod, Jitter: 0.1},
}})

var _ = cache.Options{
	Default: cache.KindOptions{Resync: cache.ResyncPolicy{Period: cache.NeverResync}},
	ByObject: map[client.Object]cache.KindOptions{
		&corev1.Service{}: {Resync: cache.ResyncPolicy{
			Period:   10 * time.Minute,
			Spread:   cache.OverPeriod,
			Rate:     10,
			Selector: labels.SelectorFromSet(labels.Set{"backend": "external"}),
		}},
	},
}
