package store_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

type server struct {
	name, version, rack string
}

func ExampleNew() {
	s := store.New(store.Traits[server]{
		Version: func(o server) string { return o.version },
		UID:     func(server) string { return "" },
		Labels:  func(o server) map[string]string { return map[string]string{"rack": o.rack} },
	}, store.Indexers[server]{
		"rack": func(o server) ([]string, error) { return []string{o.rack}, nil },
	})

	txn := s.Begin(2)
	txn.Put(delta.Key{Name: "a"}, server{"a", "7", "north"})
	txn.Put(delta.Key{Name: "b"}, server{"b", "8", "south"})
	txn.Commit("8")

	before := s.View()
	defer before.Release()

	txn = s.Begin(1)
	txn.Remove(delta.Key{Name: "b"})
	txn.Commit("9")

	inSouth, err := s.ByIndex("rack", "south")
	fmt.Println("now", s.Version(), s.Len(), inSouth, err)
	for key, o := range before.Ascend(delta.Key{}) {
		fmt.Println("at", before.Version(), key, o.rack)
	}
	fmt.Println(before.Select("", labels.SelectorFromSet(labels.Set{"rack": "south"})))
	// Output:
	// now 9 1 [] <nil>
	// at 8 a north
	// at 8 b south
	// [{b 8 south}]
}
