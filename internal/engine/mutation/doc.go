// Package mutation finds out that somebody has changed a shared object in place. In tests it watches
// all objects. In production it takes note of a sample, with a pause from one object to the next.
//
//	stored ──▶ Observe ──▶ a fingerprint for each object ◀── compare ── Look, each second
//	                        ObjectMeta.Labels["app"] 9f3c                  │
//	                        Spec.Replicas            07aa                  ▼
//	                        the whole                51d0        Report: key, version, paths
//
// It looks only at what anybody may read ([dedup.Legible]): the exported fields, and nothing of a type that
// decodes itself. Methods that only read may write to the rest, so a look there would be a race. A
// resource.Quantity is such a type: its number is looked at only in a map, whose entries nobody can write to. It
// does not watch an object that leads to more than 100,000 values.
//
// One goroutine calls Observe. Any goroutine may call Look. A Report is called without the
// detector's lock, so it may call the one that calls Observe, and wait for it.
package mutation
