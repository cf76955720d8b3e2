package reach

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// operator is what several Pods are replicas of.
type operator struct{ namespace, name string }

// ofPod says which operator a Pod belongs to. The Pods of a Deployment have a ReplicaSet as
// owner, whose name is the Deployment's and the hash that is also a label.
func ofPod(pod *corev1.Pod) operator {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return operator{pod.Namespace, pod.Name}
	}
	name := owner.Name
	if hash := pod.Labels["pod-template-hash"]; owner.Kind == "ReplicaSet" && hash != "" {
		name = strings.TrimSuffix(name, "-"+hash)
	}
	return operator{pod.Namespace, name}
}

// grouped returns the Pods of each operator.
func grouped(pods []corev1.Pod) map[operator][]corev1.Pod {
	groups := map[operator][]corev1.Pod{}
	for i := range pods {
		of := ofPod(&pods[i])
		groups[of] = append(groups[of], pods[i])
	}
	return groups
}

// ambiguous lists the Pods that one may mean. It names one Pod of an operator whose leader is known,
// and otherwise all.
func ambiguous(operators map[operator][]corev1.Pod, leaders []corev1.Pod, why string) error {
	var choices []string
	for of, pods := range operators {
		choice, remark := pods, ""
		for i := range leaders {
			if ofPod(&leaders[i]) == of {
				choice, remark = leaders[i:i+1], "   # the leader"
			}
		}
		for i := range choice {
			choices = append(choices, fmt.Sprintf("--operator-namespace %s --operator %s%s", choice[i].Namespace, choice[i].Name, remark))
		}
	}
	slices.Sort(choices)
	if len(operators) > 1 {
		why = fmt.Sprintf("there are %d operators, and the one that you name gets the token", len(operators))
	}
	return &AmbiguousError{Why: why, Choices: choices}
}
