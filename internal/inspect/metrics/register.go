package metrics

import (
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
)

// registered says how the registration has ended, which is tried once.
var registered struct {
	once sync.Once
	err  error
}

// Register registers the metrics with controller-runtime's registry, once. It logs which of
// client-go's names are left out because somebody else has them, and each time if all of ours are.
func Register(log logr.Logger) {
	registered.once.Do(func() { registered.err = register(ctrlmetrics.Registry, log) })
	if registered.err != nil {
		log.Error(registered.err, "There are no metrics of the cache and the controllers")
	}
}

// register registers each of client-go's names on its own, and with a description. So a name that
// is taken is refused here, or to who comes later. Without descriptions it would be found at a
// scrape, and then the scrape fails as a whole.
func register(in prometheus.Registerer, log logr.Logger) error {
	if err := in.Register(newCollector()); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	for _, f := range clientGos {
		if err := in.Register(newClientGo(f)); err != nil {
			log.Info("A metric of client-go's name is left out: it is registered already", "metric", f.name, "reason", err.Error())
		}
	}
	return nil
}
