package delta

import (
	"errors"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// builtin are the schemas of the kinds that Kubernetes has.
var builtin = applyconfigurations.NewTypeConverter(scheme.Scheme)

// web is a Deployment as a typed client returns it, but with its kind set.
func web() *appsv1.Deployment {
	replicas := int32(3)
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", ResourceVersion: "1", Generation: 1, Labels: map[string]string{"tier": "front"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{
				{
					Name: "app", Image: "web:1", Args: []string{"-v"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}},
					Ports:     []corev1.ContainerPort{{ContainerPort: 80, Protocol: corev1.ProtocolTCP}},
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("500m")}},
				},
				{Name: "side", Image: "side:1"},
			}}},
		},
	}
}

// webWith returns web after a change.
func webWith(change func(d *appsv1.Deployment)) *appsv1.Deployment {
	d := web()
	change(d)
	return d
}

// refusing are schemas that know no kind.
type refusing struct{ calls int }

func (r *refusing) ObjectToTyped(runtime.Object, ...typed.ValidationOptions) (*typed.TypedValue, error) {
	r.calls++
	return nil, errors.New("never heard of it")
}

// metaOnly is an object from a watch that shows no more than the metadata.
func metaOnly(uid types.UID, version string, labels map[string]string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: uid, ResourceVersion: version, Labels: labels},
	}
}

// customSchemas are the schemas that know customSchema.
type customSchemas struct{ parser *typed.Parser }

func (c customSchemas) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return typed.AsTyped(value.NewValueInterface(obj.(*unstructuredv1.Unstructured).Object), &c.parser.Schema, c.parser.Type("custom").TypeRef, opts...)
}

// customSchema is the schema of a kind that nobody has.
var customSchema = func() typed.YAMLObject {
	text, err := os.ReadFile("../../internal/path/testdata/custom.yaml")
	if err != nil {
		panic(err)
	}
	return typed.YAMLObject(text)
}()
