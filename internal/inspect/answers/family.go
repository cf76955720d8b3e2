package answers

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// Bounds of a family. Owners may form a circle, because nobody checks them.
const (
	mostRelatives = 40
	deepest       = 5
	longestName   = 253
)

// Family is the [inspector.Subject]'s. It knows of children in the cache alone, and looks at every object there, once for each
// generation.
func (o *Operator) Family(kind, namespace, name string) (owners, children []v1.Relative) {
	k, err := o.kind(kind)
	if err != nil {
		return nil, nil
	}
	about := objectOf(&k, delta.Key{Namespace: namespace, Name: name})
	if about == nil {
		return nil, nil
	}
	kinds := o.kinds()
	return ownersOf(kinds, about, 1, nil), inOrder(descendants(kinds, about), about.GetUID(), 1, nil)
}

// objectOf returns an object of the cache, or nil.
func objectOf(k *observe.Kind, key delta.Key) metav1.Object {
	obj, _ := k.Informer.Store().Get(key)
	about, _ := obj.(metav1.Object)
	return about
}

// ownersOf appends an object's owners, each before its own. The controller comes first.
func ownersOf(kinds []observe.Kind, about metav1.Object, depth int, all []v1.Relative) []v1.Relative {
	references := slices.Clone(about.GetOwnerReferences())
	slices.SortStableFunc(references, func(a, b metav1.OwnerReference) int { return cmp.Compare(rank(&a), rank(&b)) })
	for i := range references {
		ref := &references[i]
		if depth > deepest || len(all) >= mostRelatives {
			break
		}
		r := v1.Relative{Kind: path.Cut(ref.APIVersion+" "+ref.Kind, longestName), Name: path.Cut(ref.Name, longestName), Depth: depth}
		owner := findOwner(kinds, about.GetNamespace(), ref, &r)
		if all = append(all, r); owner != nil {
			all = ownersOf(kinds, owner, depth+1, all)
		}
	}
	return all
}

func rank(ref *metav1.OwnerReference) int {
	if ref.Controller != nil && *ref.Controller {
		return 0
	}
	return 1
}

// findOwner looks for an owner in the cache, and says there what it is called. An owner of a namespaced object is of its namespace,
// or has none.
func findOwner(kinds []observe.Kind, namespace string, ref *metav1.OwnerReference, r *v1.Relative) metav1.Object {
	of, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return nil
	}
	for i := range kinds {
		k := &kinds[i]
		if of.Group != k.GVK.Group || ref.Kind != k.GVK.Kind {
			continue
		}
		for _, in := range []string{namespace, ""} {
			if owner := objectOf(k, delta.Key{Namespace: in, Name: ref.Name}); owner != nil && owner.GetUID() == ref.UID {
				r.Kind, r.Namespace, r.Cached = k.Name, in, true
				return owner
			}
		}
	}
	return nil
}

// descendants returns the children of an object by the UID of their owner, and theirs.
func descendants(kinds []observe.Kind, about metav1.Object) map[types.UID][]child {
	found := map[types.UID][]child{}
	known := map[types.UID]bool{about.GetUID(): true}
	parents := map[types.UID]bool{about.GetUID(): true}
	for depth := 1; depth <= deepest && len(parents) > 0 && len(known) <= mostRelatives; depth++ {
		next := map[types.UID]bool{}
		for i := range kinds {
			each(&kinds[i], func(obj metav1.Object) {
				for _, ref := range obj.GetOwnerReferences() {
					uid := obj.GetUID()
					if !parents[ref.UID] || known[uid] || len(known) > mostRelatives {
						continue
					}
					known[uid], next[uid] = true, true
					found[ref.UID] = append(found[ref.UID], child{uid, v1.Relative{Kind: kinds[i].Name, Namespace: obj.GetNamespace(), Name: obj.GetName(), Cached: true}})
				}
			})
		}
		parents = next
	}
	return found
}

// child is an object that another one owns.
type child struct {
	uid      types.UID
	relative v1.Relative
}

// each calls a function for all objects of a kind that the cache has.
func each(k *observe.Kind, do func(metav1.Object)) {
	view := k.Informer.Store().View()
	defer view.Release()
	for _, obj := range view.All() {
		if about, ok := obj.(metav1.Object); ok {
			do(about)
		}
	}
}

// inOrder appends the children of an object, each before its own.
func inOrder(of map[types.UID][]child, uid types.UID, depth int, all []v1.Relative) []v1.Relative {
	slices.SortFunc(of[uid], func(a, b child) int {
		return cmp.Or(cmp.Compare(a.relative.Kind, b.relative.Kind), cmp.Compare(a.relative.Name, b.relative.Name))
	})
	for _, c := range of[uid] {
		c.relative.Depth = depth
		all = inOrder(of, c.uid, depth+1, append(all, c.relative))
	}
	return all
}
