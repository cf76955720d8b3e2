// Package metrics shows what runs in this process to Prometheus.
//
//	Prometheus ──scrape──▶ controller-runtime's registry ──Collect──▶ collector
//	                                                                     │ asks
//	            caches, controllers, queues ◀── internal/managed ◀───────┘
//
// Nothing is counted here. A scrape reads the counts that the parts have anyway, so what nobody
// scrapes costs nothing. Each metric has its name, type, labels and help in one table, families.go.
//
// A process may have several caches, or controllers of the same name. Prometheus refuses two
// series with the same labels, so they are one series: counts are added up, and of states the
// worst counts. When one of them ends, its counts leave the sum, which Prometheus takes for a new
// process.
//
// client-go's names may be somebody else's in the same registry. A name that is taken is left out.
//
// Any goroutine may call anything.
package metrics
