package sampleoperator

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestMakeDeploys lets make install the operator and remove it again. Its Pods run nothing
// here.
func TestMakeDeploys(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{Workloads: true})
	api := newClient(t, plane.Config())
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, controlplane.WriteKubeconfig(kubeconfig, plane.Config()))
	run := func(args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "make", append(args, "KUBECTL=bin/k8s/kubectl")...) //nolint:gosec // our own
		command.Dir = root
		command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "MAKEFLAGS=", "MAKELEVEL=")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("make %v: %v\n%s", args, err, out)
		}
	}
	run("install")
	await.Within(t, patience, "the API server to know the kind", func() error { return api.List(t.Context(), &v1alpha1.SiteList{}) })
	run("deploy", "IMG=example.com/operator:test")
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: accountOf}}
	await.Within(t, patience, "the operator's Pods", func() error {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(deployment), deployment); err != nil {
			return err
		}
		if image := deployment.Spec.Template.Spec.Containers[0].Image; image != "example.com/operator:test" {
			return fmt.Errorf("they run %s", image)
		}
		if deployment.Status.ReadyReplicas == 0 {
			return fmt.Errorf("the status is %+v", deployment.Status)
		}
		return nil
	})
	run("undeploy")
	if err := api.Get(t.Context(), client.ObjectKey{Name: namespace}, &corev1.Namespace{}); !apierrors.IsNotFound(err) {
		t.Errorf("after make undeploy its namespace still exists, or: %v", err)
	}
	run("uninstall")
	if err := api.List(t.Context(), &v1alpha1.SiteList{}); err == nil {
		t.Error("after make uninstall there are Sites")
	}
}
