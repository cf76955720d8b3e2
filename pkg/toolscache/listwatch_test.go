package toolscache

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/objects"
)

// TestListsAreLentToInformersAlone sees who is given parts of a list, and that what
// is detached is the object and not its place.
func TestListsAreLentToInformersAlone(t *testing.T) {
	list := &corev1.PodList{Items: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "1"}}}}
	source := &scripted{list: func(int) (runtime.Object, error) { return list, nil }}
	page, err := listwatch.Of(clientOf(source), nil).List(t.Context(), metav1.ListOptions{})
	if err != nil || page.Lent || page.Items[0] == any(&list.Items[0]) {
		t.Errorf("anybody is lent the list's objects: %v, %v", page.Lent, err)
	}
	page, err = listwatch.Lent(clientOf(source), nil).List(t.Context(), metav1.ListOptions{})
	if err != nil || !page.Lent || page.Items[0] != any(&list.Items[0]) {
		t.Fatalf("an informer is not lent the list's objects: %v, %v", page.Lent, err)
	}
	own := objects.Traits.Detach(page.Items[0])
	if own == page.Items[0] || !reflect.DeepEqual(own, page.Items[0]) {
		t.Errorf("%v was detached as %v", page.Items[0], own)
	}
	if objects.Traits.Detach(nil) != nil {
		t.Error("nothing was detached as something")
	}
}

// TestAListThatHangsDoesNotHoldUpTheEnd has a ListFunc that knows of no context, as those of generated informers.
func TestAListThatHangsDoesNotHoldUpTheEnd(t *testing.T) {
	for name, newInformer := range constructors() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answered := make(chan struct{})
				source := &scripted{list: func(int) (runtime.Object, error) {
					<-answered
					return &corev1.ConfigMapList{}, nil
				}}
				informer := newInformer(source, &corev1.ConfigMap{}, 0, cache.Indexers{})
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					synctest.Wait() // it lists
					cancel()
				}()
				informer.RunWithContext(ctx)
				close(answered)
			})
		})
	}
}
