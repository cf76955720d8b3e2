package controlplane

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// roundTrip writes config to a file and reads it as kubectl would.
func roundTrip(t *testing.T, config *rest.Config) *rest.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := WriteKubeconfig(path, config); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the file with the secrets has mode %v", mode)
	}
	read, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestServiceAccountsMayDoWhatTheyAreGranted(t *testing.T) {
	p := ForTest(t, Options{})
	admin := clientFor(t, roundTrip(t, p.Config()))
	if _, err := p.ServiceAccountConfig(t.Context(), "default", "robot"); !apierrors.IsNotFound(err) {
		t.Errorf("for a service account that is not there: error %v, want not found", err)
	}
	_, err := admin.CoreV1().ServiceAccounts("default").Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, err := p.ServiceAccountConfig(t.Context(), "default", "robot")
	if err != nil {
		t.Fatal(err)
	}
	robot := clientFor(t, roundTrip(t, config))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	list := func(namespace string) error {
		_, err := robot.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{})
		return err
	}
	if err := list("default"); !apierrors.IsForbidden(err) {
		t.Errorf("with no role at all: error %v, want forbidden", err)
	}

	_, err = admin.RbacV1().Roles("default").Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = admin.RbacV1().RoleBindings("default").Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "robot-reads"},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: "robot"}},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "reader"},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The API server learns of a role from a watch of its own, so it may forbid for a moment.
	err = list("default")
	for apierrors.IsForbidden(err) {
		err = list("default")
	}
	if err != nil {
		t.Errorf("with a role: %v", err)
	}
	if err := list("kube-system"); !apierrors.IsForbidden(err) {
		t.Errorf("in a namespace that it has no role in: error %v, want forbidden", err)
	}
}
