// Package benchkit is what benchmarks share: the objects they work on and the
// meters the testing package lacks.
//
//	Pods(n) ──same objects──▶ ours ─────▶ CPU, Heap ──▶ b.ReportMetric
//	                     └──▶ incumbent ▶ CPU, Heap ──▶ b.ReportMetric
//
// It is test support: only _test.go files import it.
//
// Units are fixed here so that hack/bench finds them: "cpu-ns/op" and
// "B/item". A benchmark that does many things in one iteration passes
// their number to Report rather than dividing by b.N itself.
//
// Pods are read-only once made, because they share their immutable parts; take
// a deep copy of one to change it. Meters belong to one goroutine.
package benchkit
