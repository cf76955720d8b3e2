package engine

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// usualSeeds is how many random scripts a model test plays.
const usualSeeds = 100

// heavySeeds is the same for those that play a whole informer.
const heavySeeds = 15

// someKeys are the keys of n objects whose names are numbers.
func someKeys(n int) []delta.Key {
	keys := make([]delta.Key, n)
	for i := range keys {
		keys[i] = delta.Key{Name: fmt.Sprint(i)}
	}
	return keys
}

// odd and even choose among the objects whose names are numbers.
var odd, even = labels.SelectorFromSet(labels.Set{"odd": "true"}), labels.SelectorFromSet(labels.Set{"odd": "false"})

func numberLabels(key delta.Key) labels.Set {
	n, err := strconv.Atoi(key.Name)
	if err != nil {
		panic(err)
	}
	return labels.Set{"odd": fmt.Sprint(n%2 == 1)}
}
