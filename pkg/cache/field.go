package cache

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/selection"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
)

// anyNamespace stands for a namespace where objects of all namespaces are filed.
// Names of indexes and values are controller-runtime's: people look them up through
// an informer's GetIndexer.
const anyNamespace = "__all_namespaces"

// fieldIndexName is the name of the index over a field.
func fieldIndexName(field string) string { return "field:" + field }

// fieldIndexValue is what an object is filed under that has this value; an empty
// namespace stands for all.
func fieldIndexValue(namespace, value string) string {
	if namespace == "" {
		namespace = anyNamespace
	}
	return namespace + "/" + value
}

// fieldIndex files objects under what extract reads off them: once under their
// namespace, if they have one, and once for all namespaces.
func fieldIndex(extract client.IndexerFunc) toolscache.IndexFunc {
	return func(obj any) ([]string, error) {
		object, ok := obj.(client.Object)
		if !ok {
			return nil, fmt.Errorf("index a field of %T: it is no Object", obj)
		}
		values := extract(object)
		if len(values) == 0 {
			return nil, nil
		}
		namespace := object.GetNamespace()
		filed := make([]string, 0, 2*len(values))
		if namespace != "" {
			for _, value := range values {
				filed = append(filed, fieldIndexValue(namespace, value))
			}
		}
		for _, value := range values {
			filed = append(filed, fieldIndexValue("", value))
		}
		return filed, nil
	}
}

// errInexact is the answer to anything but equality: an index can't say what has another
// value. The words are controller-runtime's, because people know it by them.
var errInexact = errors.New("non-exact field matches are not supported by the cache")

// filedUnder translates what a field selector requires into index values.
func filedUnder(namespace string, sel fields.Selector) ([]store.Filed, error) {
	if sel == nil {
		return nil, nil
	}
	requirements := sel.Requirements()
	if len(requirements) == 0 {
		return nil, errInexact
	}
	under := make([]store.Filed, len(requirements))
	for i, r := range requirements {
		if r.Operator != selection.Equals && r.Operator != selection.DoubleEquals {
			return nil, errInexact
		}
		under[i] = store.Filed{Index: fieldIndexName(r.Field), Value: fieldIndexValue(namespace, r.Value)}
	}
	return under, nil
}
