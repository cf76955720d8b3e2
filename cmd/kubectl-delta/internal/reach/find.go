package reach

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// longestHost is where the kubelet cuts a Pod's name to make its host name.
const longestHost = 63

// finder looks for the Pod to ask.
type finder struct {
	*Options
	cluster kubernetes.Interface
	// home is the kubeconfig's namespace, where a name without a namespace is looked for.
	home string
}

// find returns the Pod of the operator that is meant: its leader, if it has several.
func (f *finder) find(ctx context.Context) (*corev1.Pod, error) {
	pods, what, err := f.candidates(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the operator: %w", err)
	}
	// No port-forward reaches the others, or not for long.
	running := slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool {
		return p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil
	})
	switch {
	case len(running) == 1:
		return &running[0], nil
	case len(running) == 0 && len(pods) > 0:
		return nil, fmt.Errorf("find the operator: none of the Pods %s runs, and %s is %s; use --operator if another is meant",
			what, full(&pods[0]), phase(&pods[0]))
	case len(running) == 0:
		return nil, fmt.Errorf("find the operator: there are no Pods %s; label its Pods with %s, or use --operator NAME --operator-namespace NAMESPACE",
			what, Label)
	}
	operators := map[operator]bool{}
	for _, pod := range running {
		operators[ofPod(&pod)] = true
	}
	leaders, err := f.leaders(ctx, running)
	why := "no Lease says which replica leads"
	switch {
	case len(operators) > 1:
		why = fmt.Sprintf("there are %d operators, and the one that you name gets the token", len(operators))
	case err != nil:
		why = err.Error()
	case len(leaders) == 1:
		return &leaders[0], nil
	}
	return nil, ambiguous(why, running, leaders)
}

// candidates returns the Pods that may be meant, and words for them.
func (f *finder) candidates(ctx context.Context) (pods []corev1.Pod, what string, err error) {
	if f.Operator != "" {
		return f.named(ctx)
	}
	pods, what, err = f.selected(ctx, f.OperatorNamespace, Label)
	if err != nil || len(pods) > 0 && f.OperatorNamespace != "" {
		return pods, what, err
	}
	// Where nobody has named a namespace our label has no precedence: a Pod of anybody may
	// have it, and must not keep an operator with kubebuilder's out of sight.
	more, _, err := f.selected(ctx, f.OperatorNamespace, KubebuilderLabel)
	key, value, _ := strings.Cut(Label, "=")
	more = slices.DeleteFunc(more, func(p corev1.Pod) bool { return p.Labels[key] == value })
	return append(pods, more...), "with the label " + Label + " or " + KubebuilderLabel + within(f.OperatorNamespace), err
}

// named looks for a Pod, and then for a Deployment.
func (f *finder) named(ctx context.Context) (pods []corev1.Pod, what string, err error) {
	namespace := cmp.Or(f.OperatorNamespace, f.home)
	pod, err := f.cluster.CoreV1().Pods(namespace).Get(ctx, f.Operator, metav1.GetOptions{})
	switch {
	case err == nil:
		return []corev1.Pod{*pod}, "named " + f.Operator, nil
	case !apierrors.IsNotFound(err):
		return nil, "", fmt.Errorf("get Pod %s/%s: %w", namespace, f.Operator, err)
	}
	deployment, err := f.cluster.AppsV1().Deployments(namespace).Get(ctx, f.Operator, metav1.GetOptions{})
	if err != nil {
		return nil, "", fmt.Errorf("get Deployment %s/%s: %w; use --operator-namespace if it is elsewhere", namespace, f.Operator, err)
	}
	return f.selected(ctx, namespace, metav1.FormatLabelSelector(deployment.Spec.Selector))
}

// selected lists Pods by their labels.
func (f *finder) selected(ctx context.Context, namespace, selector string) (pods []corev1.Pod, what string, err error) {
	list, err := f.cluster.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, "", fmt.Errorf("list Pods with the label %s%s: %w%s", selector, within(namespace), err, rights(err, namespace))
	}
	return list.Items, "with the label " + selector + within(namespace), nil
}

// rights says what helps against an error for want of a right; empty if the error is another.
func rights(err error, namespace string) string {
	switch {
	case !apierrors.IsForbidden(err):
		return ""
	case namespace == "":
		return "; use --operator-namespace to look in one namespace"
	}
	return "; it takes the rights to list pods and to create pods/portforward" + within(namespace)
}

// leaders returns the Pods that hold a Lease of their namespace.
func (f *finder) leaders(ctx context.Context, pods []corev1.Pod) (found []corev1.Pod, err error) {
	hosts := map[string][]string{} // by namespace
	for _, pod := range pods {
		here, known := hosts[pod.Namespace]
		if !known {
			list, err := f.cluster.CoordinationV1().Leases(pod.Namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, fmt.Errorf("list Leases in namespace %s: %w", pod.Namespace, err)
			}
			for i := range list.Items {
				here = append(here, hostOf(&list.Items[i]))
			}
			hosts[pod.Namespace] = here
		}
		if slices.Contains(here, hostName(&pod)) {
			found = append(found, pod)
		}
	}
	return found, nil
}

// hostOf is the part of a holder's identity that is a host name. Host names have no "_".
func hostOf(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	host, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
	return host
}

// hostName is what a Pod's containers take for the name of their host.
func hostName(pod *corev1.Pod) string {
	switch {
	case pod.Spec.HostNetwork:
		return pod.Spec.NodeName
	case pod.Spec.Hostname != "":
		return pod.Spec.Hostname
	case len(pod.Name) > longestHost:
		return strings.TrimRight(pod.Name[:longestHost], "-.")
	default:
		return pod.Name
	}
}

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

// ambiguous lists the Pods that one may mean.
func ambiguous(why string, pods, leaders []corev1.Pod) error {
	var choices []string
	for _, pod := range pods {
		choice := fmt.Sprintf("--operator-namespace %s --operator %s", pod.Namespace, pod.Name)
		if slices.ContainsFunc(leaders, func(l corev1.Pod) bool { return full(&l) == full(&pod) }) {
			choice += "   # the leader"
		}
		choices = append(choices, choice)
	}
	slices.Sort(choices)
	return &AmbiguousError{Why: why, Choices: choices}
}

func within(namespace string) string {
	if namespace == "" {
		return " in any namespace"
	}
	return " in namespace " + namespace
}

func phase(pod *corev1.Pod) string {
	if pod.DeletionTimestamp != nil {
		return "about to go"
	}
	return string(pod.Status.Phase)
}

func full(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
