package browser

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

func account(name string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

func siteOf(namespace, name string) *v1alpha1.Site {
	return &v1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// village makes a namespace with Sites, and waits until the operator has dealt with them.
func (w *world) village(t *testing.T, namespace string, names ...string) {
	t.Helper()
	w.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	for _, name := range names {
		site := siteOf(namespace, name)
		w.create(t, site)
		await.Success(t, "the operator to deal with "+name, func() error {
			err := w.api.Get(t.Context(), client.ObjectKeyFromObject(site), site)
			if err == nil && len(site.Status.Conditions) == 0 {
				err = errors.New("its status is empty")
			}
			return err
		})
	}
}

func (w *world) create(t *testing.T, objects ...client.Object) {
	t.Helper()
	for _, object := range objects {
		if err := w.api.Create(t.Context(), object); err != nil {
			t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
}

// edit changes an object as a field manager.
func (w *world) edit(t *testing.T, object client.Object, manager, patch string) {
	t.Helper()
	if err := w.api.Patch(t.Context(), object, client.RawPatch("application/merge-patch+json", []byte(patch)), client.FieldOwner(manager)); err != nil {
		t.Fatalf("change %s: %v", object.GetName(), err)
	}
}

// scale is a patch of a Site.
func scale(replicas int) string { return fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas) }
