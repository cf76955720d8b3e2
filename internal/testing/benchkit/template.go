package benchkit

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const registry = "registry.example.com/platform"

// owner is a ReplicaSet: what its Pods have in common.
type owner struct {
	name     string
	number   int
	template corev1.Pod
	fields   *metav1.FieldsV1 // what its controller set
}

func newOwner(number int) *owner {
	hash := templateHash(number)
	app := fmt.Sprintf("checkout-%04d", number/ownersPerApp)
	o := &owner{name: app + "-" + hash, number: number, fields: metav1.NewFieldsV1(creatorFields)}
	yes := true
	o.template = corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: o.name + "-",
			Namespace:    namespace(number),
			Generation:   1,
			Labels: map[string]string{
				"app.kubernetes.io/name":       app,
				"app.kubernetes.io/instance":   app + "-" + letters(mix(uint64(number), 5), 4),
				"app.kubernetes.io/component":  []string{"api", "worker", "scheduler", "web"}[number%4],
				"app.kubernetes.io/managed-by": "Helm",
				"app.kubernetes.io/version":    fmt.Sprintf("2.%d.%d", number%17, number%5),
				LabelOwner:                     hash,
			},
			Annotations: map[string]string{
				"checksum/config":      strings.Repeat(letters(mix(uint64(number), 6), 12), 5),
				"prometheus.io/scrape": "true",
				"prometheus.io/port":   "9090",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: o.name, UID: uid(mix(uint64(number), 7)),
				Controller: &yes, BlockOwnerDeletion: &yes,
			}},
		},
		Spec: podSpec(app),
		Status: corev1.PodStatus{
			Phase:              corev1.PodRunning,
			QOSClass:           corev1.PodQOSBurstable,
			ObservedGeneration: 1,
		},
	}
	return o
}

func podSpec(app string) corev1.PodSpec {
	grace, priority, links, yes := int64(30), int32(0), true, true
	preemption := corev1.PreemptLowerPriority
	seconds, mode := int64(300), int32(0o644)
	expires := int64(3607)
	return corev1.PodSpec{
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: app + "-config"}, DefaultMode: &mode,
			}}},
			{Name: "kube-api-access", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
				Sources: []corev1.VolumeProjection{
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: &expires, Path: "token"}},
					{ConfigMap: &corev1.ConfigMapProjection{
						LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
						Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
					}},
				},
				DefaultMode: &mode,
			}}},
		},
		Containers:                    []corev1.Container{mainContainer(app), sidecar()},
		RestartPolicy:                 corev1.RestartPolicyAlways,
		TerminationGracePeriodSeconds: &grace,
		DNSPolicy:                     corev1.DNSClusterFirst,
		ServiceAccountName:            app,
		DeprecatedServiceAccount:      app,
		SecurityContext:               &corev1.PodSecurityContext{RunAsNonRoot: &yes},
		SchedulerName:                 corev1.DefaultSchedulerName,
		Tolerations: []corev1.Toleration{
			{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
			{Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds},
		},
		Priority:           &priority,
		EnableServiceLinks: &links,
		PreemptionPolicy:   &preemption,
	}
}

func mainContainer(app string) corev1.Container {
	c := container("app", registry+"/"+app+":2.4.1", 8080)
	c.Args = []string{"--config=/etc/app/config.yaml", "--listen=:8080", "--log-format=json"}
	c.Env = []corev1.EnvVar{
		{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
		{Name: "DATABASE_URL", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: app + "-database"}, Key: "url",
		}}},
		{Name: "CACHE_ADDRESS", Value: "redis-master.cache.svc.cluster.local:6379"},
		{Name: "REGION", Value: "eu-central-1"},
		{Name: "GOMEMLIMIT", Value: "460MiB"},
		{Name: "FEATURE_FLAGS", Value: "new-basket=on,express-payment=off,gift-cards=on,split-shipment=off,loyalty=on"},
		{Name: "PAYMENT_ENDPOINT", Value: "http://payments.payments-production.svc.cluster.local:8080/api/v3"},
		{Name: "OTEL_EXPORTER_OTLP_ENDPOINT", Value: "http://collector.observability.svc:4317"},
	}
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "config", ReadOnly: true, MountPath: "/etc/app"})
	c.LivenessProbe = probe("/healthz", 8080)
	c.ReadinessProbe = probe("/readyz", 8080)
	return c
}

func sidecar() corev1.Container {
	c := container("proxy", registry+"/proxy:1.19.3", 9090)
	c.Env = []corev1.EnvVar{{Name: "PROXY_CONCURRENCY", Value: "2"}, {Name: "LOG_LEVEL", Value: "warning"}}
	c.Args = []string{"proxy", "sidecar", "--domain", "$(POD_NAMESPACE).svc.cluster.local", "--drain-duration=45s"}
	c.ReadinessProbe = probe("/ready", 9090)
	return c
}

func container(name, image string, port int32) corev1.Container {
	no := false
	return corev1.Container{
		Name:  name,
		Image: image,
		Ports: []corev1.ContainerPort{{Name: name, ContainerPort: port, Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("512Mi")},
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("256Mi")},
		},
		VolumeMounts: []corev1.VolumeMount{{
			Name: "kube-api-access", ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
		}},
		TerminationMessagePath:   corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		ImagePullPolicy:          corev1.PullIfNotPresent,
		SecurityContext:          &corev1.SecurityContext{AllowPrivilegeEscalation: &no},
	}
}

func probe(path string, port int) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromInt(port), Scheme: corev1.URISchemeHTTP,
		}},
		InitialDelaySeconds: 5, TimeoutSeconds: 2, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
	}
}

func conditions(started, ready metav1.Time) []corev1.PodCondition {
	at := func(kind corev1.PodConditionType, when metav1.Time) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: when}
	}
	return []corev1.PodCondition{
		at(corev1.PodReadyToStartContainers, started),
		at(corev1.PodInitialized, started),
		at(corev1.PodReady, ready),
		at(corev1.ContainersReady, ready),
		at(corev1.PodScheduled, started),
	}
}

func (o *owner) containerStatuses(random uint64, ready metav1.Time) []corev1.ContainerStatus {
	yes := true
	statuses := make([]corev1.ContainerStatus, len(o.template.Spec.Containers))
	for i, c := range o.template.Spec.Containers {
		began := metav1.NewTime(ready.Add(-5 * time.Second))
		statuses[i] = corev1.ContainerStatus{
			Name:        c.Name,
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: began}},
			Ready:       true,
			Image:       c.Image,
			ImageID:     registry + "@sha256:" + digest(mix(uint64(o.number/ownersPerApp), uint64(8+i))),
			ContainerID: "containerd://" + digest(mix(random, uint64(10+i))),
			Started:     &yes,
		}
	}
	return statuses
}

// digest makes the text of a SHA-256 sum.
func digest(random uint64) string {
	return fmt.Sprintf("%016x%016x%016x%016x", mix(random, 12), mix(random, 13), mix(random, 14), mix(random, 15))
}
