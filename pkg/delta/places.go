package delta

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// identity is what a change is about: an object in one form. Typed objects and those with metadata alone
// come from different informers, which are not at the same state.
type identity struct {
	key  Key
	kind schema.GroupVersionKind
	form reflect.Type
}

func identityOf(c *Change) identity { return identity{c.Key, c.Kind, reflect.TypeOf(c.Object())} }

// manyChanges is how long a list is that has an index. To look through a shorter one costs less.
const manyChanges = 32

// places finds the changes of an object in a list.
type places struct {
	of    map[identity][]int // ascending, counted from the first change that the list ever had; nil for a short list
	first int                // that count of the first change in the list
}

func placesIn(list []Change) (p places) {
	if len(list) > manyChanges {
		p.of = make(map[identity][]int, len(list))
		for i := range list {
			p.note(&list[i], i)
		}
	}
	return p
}

func (p *places) note(c *Change, place int) {
	id := identityOf(c)
	p.of[id] = append(p.of[id], place)
}

// added notes the last change of the list.
func (p *places) added(list []Change) {
	if last := len(list) - 1; p.of != nil {
		p.note(&list[last], p.first+last)
	} else {
		*p = placesIn(list)
	}
}

// dropped notes that the first change leaves the list.
func (p *places) dropped(c *Change) {
	if p.of == nil {
		return
	}
	p.first++
	id := identityOf(c)
	if p.of[id] = p.of[id][1:]; len(p.of[id]) == 0 {
		delete(p.of, id)
	}
}

// before returns where the last change is that is about the same object as c and before a place. It is negative if there is none.
func (p *places) before(list []Change, c *Change, place int) int {
	id := identityOf(c)
	if p.of == nil {
		for place--; place >= 0 && (list[place].Key != id.key || identityOf(&list[place]) != id); place-- {
		}
		return place
	}
	all := p.of[id]
	n, _ := slices.BinarySearch(all, p.first+place)
	if n == 0 {
		return -1
	}
	return all[n-1] - p.first
}
