package controller

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// foreign are objects of somebody else that have the names of a Site's children.
func foreign(namespace, site string) []client.Object {
	labels := map[string]string{"app": "theirs"}
	return []client.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: site + filesSuffix}, Data: map[string]string{"theirs": "yes"}},
		&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: site},
			Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}},
		},
		&appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: site},
			Spec: appsv1.DeploymentSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "theirs", Image: "theirs"}}},
				},
			},
		},
	}
}

// TestWhatIsSomebodyElsesIsNotTakenOver creates foreign objects under all names, and deletes
// them later.
func TestWhatIsSomebodyElsesIsNotTakenOver(t *testing.T) {
	o := newOperator(t)
	theirs := foreign(o.sites, "shop")
	for _, object := range theirs {
		if err := o.api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	o.newSite("shop", webv1alpha1.SiteSpec{})
	o.awaitCondition("shop", ready, reasonNameTaken)
	for _, object := range theirs {
		version := object.GetResourceVersion()
		o.get(object.GetName(), object)
		if object.GetResourceVersion() != version {
			t.Errorf("%T was changed", object)
		}
		if err := o.api.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	o.awaitCondition("shop", ready, reasonProgressing)
	for _, object := range theirs {
		await.Until(t, "the Site to have its own child", func() bool {
			return o.api.Get(t.Context(), client.ObjectKeyFromObject(object), object) == nil && controlledBySite(object)
		})
	}
}

// blind finds nothing.
type blind struct{ client.Client }

func (blind) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return apierrors.NewNotFound(corev1.Resource("anything"), key.Name)
}

// missing says that the children of the Site shop are gone and that nothing else has
// happened. So there is nothing to do for its hostname.
func missing(ctx context.Context, namespace string) context.Context {
	var gone []delta.Change
	for _, object := range foreign(namespace, "shop") {
		gone = append(gone, delta.Change{Cause: delta.Owned, Op: delta.Deleted, Old: object, New: object})
	}
	return delta.NewContext(ctx, delta.NewChanges(gone...))
}

// TestACreationNeverTakesOver creates children that somebody else has just created, which the
// cache has not seen yet.
func TestACreationNeverTakesOver(t *testing.T) {
	api := directly(t, administrator(t))
	namespace := newNamespace(t, api)
	site := &webv1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "shop", UID: types.UID("a-site")}}
	for _, object := range foreign(namespace, "shop") {
		if err := api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		version := object.GetResourceVersion()
		w := &work{SiteReconciler: &SiteReconciler{Client: blind{api}, Namespace: "ops", Events: record.NewFakeRecorder(10)}, site: site}
		if err := w.do(missing(t.Context(), namespace)); !apierrors.IsConflict(err) {
			t.Errorf("created a child where somebody else has a %T: %v", object, err)
		}
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil || object.GetResourceVersion() != version {
			t.Errorf("%T was changed (error %v)", object, err)
		}
		if err := api.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		for _, made := range foreign(namespace, "shop") { // only this one could be created
			if err := client.IgnoreNotFound(api.Delete(t.Context(), made)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
