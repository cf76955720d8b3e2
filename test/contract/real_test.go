package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// genuine is a namespace of a kube-apiserver. Its objects are ConfigMaps.
type genuine struct {
	client    *kubernetes.Clientset
	namespace string
	blind     *bool // the API server does not see this write to etcd
}

func configMap(o *object) *corev1.ConfigMap { return &corev1.ConfigMap{ObjectMeta: o.ObjectMeta} }

func (r genuine) put(ctx context.Context, o *object) (string, error) {
	maps := r.client.CoreV1().ConfigMaps(r.namespace)
	written, err := maps.Update(ctx, configMap(o), metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		written, err = maps.Create(ctx, configMap(o), metav1.CreateOptions{})
	}
	if err != nil {
		return "", err
	}
	return written.ResourceVersion, r.settle(ctx, written.ResourceVersion)
}

func (r genuine) remove(ctx context.Context, name string) (string, error) {
	// The answer does not have the version of the deletion, but a watch does.
	l, err := r.list(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	st, err := r.watch(ctx, metav1.ListOptions{ResourceVersion: l.ResourceVersion})
	if err != nil {
		return "", err
	}
	defer st.Close()
	if err := r.client.CoreV1().ConfigMaps(r.namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return "", err
	}
	e, err := st.Next(ctx)
	if err != nil {
		return "", err
	}
	gone, ok := e.Object.(*object)
	if !ok || e.Type != apiwatch.Deleted || gone.Name != name {
		return "", fmt.Errorf("%s was deleted, and a watch says %s %v", name, e.Type, e.Object)
	}
	return gone.ResourceVersion, nil
}

func (r genuine) others(ctx context.Context, writes int) error {
	const writers = 10
	failed := make(chan error, writers)
	for range writers {
		go func() {
			for range writes / writers {
				other := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}
				if _, err := r.client.CoreV1().Secrets("default").Create(ctx, other, metav1.CreateOptions{}); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	var errs []error
	for range writers {
		errs = append(errs, <-failed)
	}
	return errors.Join(errs...)
}

// settle waits until the watch cache knows a version.
func (r genuine) settle(ctx context.Context, version string) error {
	if *r.blind {
		return nil
	}
	_, err := r.list(ctx, metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: notOlderThan})
	return err
}

func (r genuine) list(ctx context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	var found corev1.ConfigMapList
	// The client must not repeat requests, even if the server asks for that.
	err := r.client.CoreV1().RESTClient().Get().Namespace(r.namespace).Resource("configmaps").
		VersionedParams(&o, scheme.ParameterCodec).MaxRetries(0).Do(ctx).Into(&found)
	if err != nil {
		return nil, err
	}
	l := &metav1.PartialObjectMetadataList{ListMeta: found.ListMeta}
	for i := range found.Items {
		l.Items = append(l.Items, object{ObjectMeta: found.Items[i].ObjectMeta})
	}
	return l, nil
}

func (r genuine) watch(ctx context.Context, o metav1.ListOptions) (stream, error) {
	o.Watch = true
	w, err := r.client.CoreV1().RESTClient().Get().Namespace(r.namespace).Resource("configmaps").
		VersionedParams(&o, scheme.ParameterCodec).MaxRetries(0).Watch(ctx)
	if err != nil {
		return nil, err
	}
	return realStream{w}, nil
}

type realStream struct{ apiwatch.Interface }

func (s realStream) Close() { s.Stop() }

func (s realStream) Next(ctx context.Context) (apiwatch.Event, error) {
	select {
	case e, ok := <-s.ResultChan():
		if !ok {
			return e, io.EOF
		}
		if o, ok := e.Object.(*corev1.ConfigMap); ok {
			e.Object = &object{ObjectMeta: o.ObjectMeta}
		}
		return e, nil
	case <-ctx.Done():
		return apiwatch.Event{}, ctx.Err()
	}
}

// stage is the control plane for all scripts.
type stage struct {
	plane  *controlplane.Plane
	client *kubernetes.Clientset
	kept   *controlplane.Backup
	blind  bool
	spaces int
}

func newStage(t *testing.T) *stage {
	t.Helper()
	plane := controlplane.ForTest(t, controlplane.Options{})
	config := plane.Config()
	client, err := kubernetes.NewForConfigAndClient(config, controlplane.HTTPClientForTest(t, config))
	if err != nil {
		t.Fatal(err)
	}
	return &stage{plane: plane, client: client}
}

func (s *stage) keptAt() int64 {
	if s.kept == nil {
		return 0
	}
	return s.kept.Revision
}

// enter makes a namespace for a script.
func (s *stage) enter(t *testing.T) genuine {
	t.Helper()
	s.spaces++
	r := genuine{client: s.client, namespace: fmt.Sprint("script-", s.spaces), blind: &s.blind}
	_, err := s.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.namespace}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// befall makes an event happen to the server.
func (s *stage) befall(t *testing.T, e event) {
	t.Helper()
	err := genuine{client: s.client}.others(t.Context(), few)
	if err != nil {
		t.Fatal(err)
	}
	switch e {
	case restart:
		s.plane.KillAPIServer()
		err = s.plane.StartAPIServer(t.Context())
		s.blind = false
	case compact:
		_, err = s.plane.Compact(t.Context())
	case backup:
		s.kept, err = s.plane.Backup(t.Context())
	case restore:
		err = s.plane.Restore(t.Context(), s.kept)
	case restoreBelow:
		err = s.plane.RestoreEtcd(t.Context(), s.kept)
		s.blind = true
	}
	if err != nil {
		t.Fatalf("%s: %v", e, err)
	}
	s.awaken(t)
}

// awaken waits until the server's watch cache is ready.
func (s *stage) awaken(t *testing.T) {
	t.Helper()
	r := genuine{client: s.client, namespace: "default", blind: &s.blind}
	await.Success(t, "the watch cache", func() error {
		st, err := r.watch(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			return err
		}
		st.Close()
		_, err = r.list(t.Context(), metav1.ListOptions{})
		return err
	})
}
