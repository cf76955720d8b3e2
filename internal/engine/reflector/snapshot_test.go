package reflector

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestSnapshotIsAMap compares a snapshot with a map under random steps. An object that is refused while a list is
// streamed, and then changes or goes, is in the list as it was last.
func TestSnapshotIsAMap(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		list, want, refused := &snapshot[faulty.Thing]{}, map[string]faulty.Thing{}, map[delta.Key]bool{}
		for i := range rng.IntN(50) {
			obj := faulty.Thing{Name: string(rune('a' + rng.IntN(6))), Version: fmt.Sprint(i)}
			key := delta.Key{Name: obj.Name}
			_, taken := want[obj.Name]
			switch rng.IntN(4) {
			case 0:
				list.drop(key)
				delete(want, obj.Name)
				delete(refused, key)
			case 1:
				list.refuse(key)
				refused[key] = !taken
			default:
				if taken {
					list.drop(key)
				}
				list.put(key, obj)
				want[obj.Name] = obj
				delete(refused, key)
			}
		}
		list.finish()
		got := map[string]faulty.Thing{}
		for i, obj := range list.objs {
			got[obj.Name] = obj
			if list.Keys[i].Name != obj.Name {
				t.Errorf("%v has key %s", obj, list.Keys[i])
			}
		}
		if len(list.objs) != len(want) || len(list.Keys) != len(want) || !maps.Equal(got, want) {
			t.Errorf("snapshot holds %v, want %v", list.objs, want)
		}
		maps.DeleteFunc(refused, func(_ delta.Key, only bool) bool { return !only })
		inOrder := slices.SortedFunc(slices.Values(list.Refused), delta.Key.Compare)
		if !slices.Equal(inOrder, slices.SortedFunc(maps.Keys(refused), delta.Key.Compare)) {
			t.Errorf("refused are %v, want %v", inOrder, refused)
		}
	})
}
