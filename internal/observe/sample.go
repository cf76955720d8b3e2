package observe

import "github.com/delta-runtime/delta-runtime/internal/engine"

// Sample visits about as many objects of an informer as asked for, evenly chosen, until visit says
// no. It returns how many objects there are, and how many it has visited.
func Sample(of *engine.Informer[any], most int, visit func(obj any) (more bool)) (objects, visited int) {
	view := of.Store().View()
	defer view.Release()
	objects = view.Len()
	every := max(1, objects/most)
	n := 0
	for _, obj := range view.All() {
		if n++; (n-1)%every != 0 {
			continue
		}
		if !visit(obj) {
			break
		}
		visited++
	}
	return objects, visited
}
