package differential

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// patience is the limit for everything that should take only a moment.
const patience = time.Minute

// namespaces are the namespaces with objects. No options name the last one.
var namespaces = []string{"a", "b", "c", "d"}

// server is the API server that all games of a test share, one after the other.
type server struct {
	plane  *controlplane.Plane
	config *rest.Config
	via    *http.Client // for the caches
	client dynamic.Interface
}

// newBareServer starts an API server without additional kinds.
func newBareServer(t *testing.T) *server {
	t.Helper()
	plane := controlplane.ForTest(t, controlplane.Options{})
	config := plane.Config()
	s := &server{plane: plane, config: config, via: controlplane.HTTPClientForTest(t, config)}
	var err error
	if s.client, err = dynamic.NewForConfigAndClient(config, s.via); err != nil {
		t.Fatal(err)
	}
	return s
}

// newServer starts an API server. It waits until the server has done everything that it does
// by itself, because nothing may change while answers are compared.
func newServer(t *testing.T) *server {
	t.Helper()
	s := newBareServer(t)
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if _, err := s.client.Resource(definitions).Create(t.Context(), widgetDefinition.DeepCopy(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.awaitThere(t, widget, "", "")
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease"} {
		s.awaitThere(t, namespace, "", name)
	}
	for _, name := range []string{"extension-apiserver-authentication", "kube-apiserver-legacy-service-account-token-tracking"} {
		s.awaitThere(t, configMap, "kube-system", name)
	}
	for _, name := range append([]string{"o0", marker}, namespaces...) {
		if err := s.create(t.Context(), namespace, key{Name: name}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// awaitThere waits until the server has an object. If name is empty, it waits until the
// server serves the kind.
func (s *server) awaitThere(t *testing.T, k *kind, in, name string) {
	t.Helper()
	await.Within(t, patience, "the server to have "+k.gvk.Kind+" "+name, func() (err error) {
		if name == "" {
			_, err = s.client.Resource(k.resource()).List(t.Context(), metav1.ListOptions{})
		} else {
			_, err = s.in(k, in).Get(t.Context(), name, metav1.GetOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
		return err
	})
}

func (s *server) in(k *kind, namespace string) dynamic.ResourceInterface {
	if !k.namespaced {
		return s.client.Resource(k.resource())
	}
	return s.client.Resource(k.resource()).Namespace(namespace)
}

func (s *server) create(ctx context.Context, k *kind, at key, labels map[string]string) error {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	for field, value := range k.content {
		u.Object[field] = value
	}
	u = u.DeepCopy()
	u.SetGroupVersionKind(k.gvk)
	u.SetNamespace(at.Namespace)
	u.SetName(at.Name)
	u.SetLabels(labels)
	_, err := s.in(k, at.Namespace).Create(ctx, u, metav1.CreateOptions{})
	return s.explain(err, "create", k, at)
}

// relabel replaces all labels of an object.
func (s *server) relabel(ctx context.Context, k *kind, at key, labels map[string]string) error {
	u, err := s.in(k, at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
	if err != nil {
		return s.explain(err, "read", k, at)
	}
	u.SetLabels(labels)
	_, err = s.in(k, at.Namespace).Update(ctx, u, metav1.UpdateOptions{})
	return s.explain(err, "update", k, at)
}

func (s *server) remove(ctx context.Context, k *kind, at key) error {
	now := int64(0)
	err := s.in(k, at.Namespace).Delete(ctx, at.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	return s.explain(err, "delete", k, at)
}

func (*server) explain(err error, what string, k *kind, at key) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %s: %w", what, k.gvk.Kind, at, err)
}
