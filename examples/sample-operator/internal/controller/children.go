package controller

import (
	"cmp"
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/utils/ptr"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
)

const (
	filesSuffix = "-files"

	// When the Secrets or files of a Site change, these digests in the Pod template change too,
	// so the Deployment replaces the Pods. Running Pods would not see the change.
	filesAnnotation   = "web.example.com/files"
	secretsAnnotation = "web.example.com/secrets"

	managedByLabel = "app.kubernetes.io/managed-by"

	container = "site"
	httpPort  = "http"
)

func selectorOf(site *webv1alpha1.Site) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "site", "app.kubernetes.io/instance": site.Name}
}

func labelsOf(site *webv1alpha1.Site) map[string]string {
	labels := selectorOf(site)
	labels[managedByLabel] = FieldManager
	return labels
}

// ownedBy makes the garbage collector delete the children with the Site. The Site's deletion
// does not wait for them, so the operator needs no right to change the Site's finalizers.
func ownedBy(site *webv1alpha1.Site) *metav1ac.OwnerReferenceApplyConfiguration {
	return metav1ac.OwnerReference().
		WithAPIVersion(webv1alpha1.GroupVersion.String()).WithKind("Site").
		WithName(site.Name).WithUID(site.UID).WithController(true)
}

// files is the ConfigMap with the files to serve.
func (w *work) files(ctx context.Context) error {
	want := corev1ac.ConfigMap(w.site.Name+filesSuffix, w.site.Namespace).
		WithLabels(labelsOf(w.site)).WithOwnerReferences(ownedBy(w.site)).
		WithData(w.site.Spec.Files)
	return (&child[*corev1.ConfigMap, *corev1ac.ConfigMapApplyConfiguration]{
		kind: "ConfigMap", live: &corev1.ConfigMap{}, want: want, extract: corev1ac.ExtractConfigMap,
	}).put(ctx, w)
}

// service leads from port 80 to the port that the Pods call http.
func (w *work) service(ctx context.Context) error {
	want := corev1ac.Service(w.site.Name, w.site.Namespace).
		WithLabels(labelsOf(w.site)).WithOwnerReferences(ownedBy(w.site)).
		WithSpec(corev1ac.ServiceSpec().
			WithSelector(selectorOf(w.site)).
			WithPorts(corev1ac.ServicePort().
				WithName(httpPort).WithProtocol(corev1.ProtocolTCP).WithPort(80).WithTargetPort(intstr.FromString(httpPort))))
	return (&child[*corev1.Service, *corev1ac.ServiceApplyConfiguration]{
		kind: "Service", live: &corev1.Service{}, want: want, extract: corev1ac.ExtractService, clear: clearService,
	}).put(ctx, w)
}

// clearService removes a port that has our name and somebody else's values. A Service has to
// have a port, so ours takes the place of the last one.
func clearService(service *corev1.Service) bool {
	ports := service.Spec.Ports
	i := slices.IndexFunc(ports, func(p corev1.ServicePort) bool {
		return p.Name == httpPort && (p.Port != 80 || p.Protocol != corev1.ProtocolTCP)
	})
	if i < 0 {
		return false
	}
	ours := corev1.ServicePort{Name: httpPort, Protocol: corev1.ProtocolTCP, Port: 80, TargetPort: intstr.FromString(httpPort)}
	if service.Spec.Ports = slices.Delete(ports, i, i+1); len(service.Spec.Ports) == 0 {
		service.Spec.Ports = []corev1.ServicePort{ours}
	}
	return true
}

// deployment is applied only when all Secrets exist. Without one of them new Pods could not
// start, and the running Pods would be replaced by Pods that don't.
func (w *work) deployment(ctx context.Context) error {
	digest, missing, err := w.readSecrets(ctx)
	if err != nil || len(missing) > 0 {
		return err
	}
	return (&child[*appsv1.Deployment, *appsv1ac.DeploymentApplyConfiguration]{
		kind: "Deployment", live: &appsv1.Deployment{}, want: deploymentOf(w.site, digest), extract: appsv1ac.ExtractDeployment,
		clear: func(d *appsv1.Deployment) bool {
			return clearPods(&d.Spec.Template.Spec, cmp.Or(w.site.Spec.Port, webv1alpha1.DefaultPort))
		},
	}).put(ctx, w)
}

// clearPods does the same with the port of the Pods.
func clearPods(pods *corev1.PodSpec, port int32) (cleared bool) {
	for i := range pods.Containers {
		c := &pods.Containers[i]
		before := len(c.Ports)
		c.Ports = slices.DeleteFunc(c.Ports, func(p corev1.ContainerPort) bool {
			return p.Name == httpPort && (c.Name != container || p.ContainerPort != port || p.Protocol != corev1.ProtocolTCP)
		})
		cleared = cleared || len(c.Ports) < before
	}
	return cleared
}

func deploymentOf(site *webv1alpha1.Site, secrets string) *appsv1ac.DeploymentApplyConfiguration {
	annotations := map[string]string{filesAnnotation: digestOf(site.Spec.Files)}
	if secrets != "" {
		annotations[secretsAnnotation] = secrets
	}
	pod := corev1ac.PodTemplateSpec().
		WithLabels(labelsOf(site)).WithAnnotations(annotations).
		WithSpec(corev1ac.PodSpec().
			WithAutomountServiceAccountToken(false).
			WithSecurityContext(corev1ac.PodSecurityContext().
				WithRunAsNonRoot(true).
				WithSeccompProfile(corev1ac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault))).
			WithContainers(containerOf(site)).
			WithVolumes(corev1ac.Volume().WithName("files").
				WithConfigMap(corev1ac.ConfigMapVolumeSource().WithName(site.Name + filesSuffix))))
	return appsv1ac.Deployment(site.Name, site.Namespace).
		WithLabels(labelsOf(site)).WithOwnerReferences(ownedBy(site)).
		WithSpec(appsv1ac.DeploymentSpec().
			WithReplicas(ptr.Deref(site.Spec.Replicas, 1)).
			WithSelector(metav1ac.LabelSelector().WithMatchLabels(selectorOf(site))).
			WithTemplate(pod))
}

func containerOf(site *webv1alpha1.Site) *corev1ac.ContainerApplyConfiguration {
	c := corev1ac.Container().
		WithName(container).WithImage(cmp.Or(site.Spec.Image, webv1alpha1.DefaultImage)).
		WithPorts(corev1ac.ContainerPort().
			WithName(httpPort).WithProtocol(corev1.ProtocolTCP).WithContainerPort(cmp.Or(site.Spec.Port, webv1alpha1.DefaultPort))).
		WithReadinessProbe(corev1ac.Probe().WithTCPSocket(corev1ac.TCPSocketAction().WithPort(intstr.FromString(httpPort)))).
		WithSecurityContext(corev1ac.SecurityContext().
			WithAllowPrivilegeEscalation(false).
			WithCapabilities(corev1ac.Capabilities().WithDrop("ALL"))).
		WithVolumeMounts(corev1ac.VolumeMount().WithName("files").WithMountPath("/usr/share/nginx/html").WithReadOnly(true))
	for _, name := range site.Spec.Secrets {
		c.WithEnvFrom(corev1ac.EnvFromSource().WithSecretRef(corev1ac.SecretEnvSource().WithName(name)))
	}
	return c
}
