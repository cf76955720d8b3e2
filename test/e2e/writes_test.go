package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// step is one write.
type step struct {
	kind  kind
	op    delta.Op
	key   cache.ObjectName
	value int64
}

// write repeats a step until the server has done it. It may have done it without an answer. So it is also good if the
// step is done already.
func (w *restoredWriter) write(t *testing.T, s step) {
	t.Helper()
	objects := w.client.Resource(s.kind.resource).Namespace(s.key.Namespace)
	await.Success(t, fmt.Sprintf("the server to have %s %s", s.op, s.key), func() error {
		switch s.op {
		case delta.Added:
			_, err := objects.Create(t.Context(), s.kind.object(s.key, s.value), metav1.CreateOptions{})
			return client.IgnoreAlreadyExists(err)
		case delta.Deleted:
			return client.IgnoreNotFound(objects.Delete(t.Context(), s.key.Name, metav1.DeleteOptions{}))
		default:
			patch, err := json.Marshal(s.kind.content(s.value))
			if err == nil {
				_, err = objects.Patch(t.Context(), s.key.Name, types.MergePatchType, patch, metav1.PatchOptions{})
			}
			if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
				t.Fatal(err)
			}
			return err
		}
	})
}
