package samples

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Web is a Deployment as a typed client returns it, but with its kind set. The changes are
// made to it in their order.
func Web(changes ...func(d *appsv1.Deployment)) *appsv1.Deployment {
	replicas := int32(3)
	d := &appsv1.Deployment{
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
	for _, change := range changes {
		change(d)
	}
	return d
}
