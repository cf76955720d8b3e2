package benchkit

import (
	_ "embed" // for pod.yaml
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

//go:embed pod.yaml
var podYAML []byte

// podJSON is pod.yaml in the form that is quicker to read.
var podJSON = sync.OnceValue(func() string {
	text, err := yaml.ToJSON(podYAML)
	if err != nil {
		panic(fmt.Sprintf("BUG: pod.yaml can't be read: %v", err))
	}
	return string(text)
})

// owner is a ReplicaSet: what its Pods have in common.
type owner struct {
	number   int
	template corev1.Pod
}

func newOwner(number int) *owner {
	of := uint64(number)
	text := strings.NewReplacer(
		"${app}", fmt.Sprintf("checkout-%04d", number/ownersPerApp),
		"${hash}", templateHash(number),
		"${namespace}", namespace(number),
		"${uid}", string(uid(mix(of, 7))),
		"${instance}", letters(mix(of, 5), 4),
		"${component}", []string{"api", "worker", "scheduler", "web"}[number%4],
		"${version}", fmt.Sprintf("2.%d.%d", number%17, number%5),
		"${checksum}", strings.Repeat(letters(mix(of, 6), 12), 5),
	).Replace(podJSON())
	o := &owner{number: number}
	if err := json.Unmarshal([]byte(text), &o.template); err != nil {
		panic(fmt.Sprintf("BUG: pod.yaml is not a Pod: %v", err))
	}
	return o
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
			ImageID:     "registry.example.com/platform@sha256:" + digest(mix(uint64(o.number/ownersPerApp), uint64(8+i))),
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
