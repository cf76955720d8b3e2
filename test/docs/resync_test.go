package docs

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// docs/guides/resync.md quotes the code below, so it has to compile.

var _ = drmanager.WithCache(cache.Options{Default: cache.KindOptions{
	Resync: resync.Policy{Period: 24 * time.Hour, Spread: resync.OverPeriod, Jitter: 0.1},
}})

var _ = cache.Options{
	Default: cache.KindOptions{Resync: resync.Policy{Period: resync.Never}},
	ByObject: map[client.Object]cache.KindOptions{
		&corev1.Service{}: {Resync: resync.Policy{
			Period:   10 * time.Minute,
			Spread:   resync.OverPeriod,
			Rate:     10,
			Selector: labels.SelectorFromSet(labels.Set{"backend": "external"}),
		}},
	},
}
