package reach

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
)

// finder looks for the Pod to ask.
type finder struct {
	*Options
	cluster kubernetes.Interface
	// home is the kubeconfig's namespace, where a name without a namespace is looked for.
	home string
}

// find returns the Pod of the operator that is meant: its leader, if it has several.
func (f *finder) find(ctx context.Context) (*corev1.Pod, error) {
	if f.Lease != "" && f.Operator == "" && f.Selector == "" {
		return f.holder(ctx)
	}
	pods, what, err := f.candidates(ctx)
	if err != nil {
		return nil, err
	}
	running := usable(pods)
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
	return f.leader(ctx, running)
}

// candidates returns the Pods that may be meant, and words for them.
func (f *finder) candidates(ctx context.Context) (pods []corev1.Pod, what string, err error) {
	if f.Operator != "" {
		return f.named(ctx)
	}
	where := f.where()
	if f.Selector != "" {
		return f.selected(ctx, where, f.Selector)
	}
	pods, what, err = f.selected(ctx, where, Label)
	if err != nil || len(pods) > 0 && where != "" {
		return pods, what, err
	}
	// Where nobody has named a namespace our label has no precedence: a Pod of anybody may
	// have it, and must not keep an operator with kubebuilder's out of sight.
	more, _, err := f.selected(ctx, where, KubebuilderLabel)
	for i := range more {
		if !marked(&more[i]) {
			pods = append(pods, more[i])
		}
	}
	return pods, "with the label " + Label + " or " + KubebuilderLabel + within(where), err
}

// marked reports whether a Pod has our label.
func marked(pod *corev1.Pod) bool {
	key, value, _ := strings.Cut(Label, "=")
	return pod.Labels[key] == value
}

// named looks for a Pod, and then for a Deployment.
func (f *finder) named(ctx context.Context) (pods []corev1.Pod, what string, err error) {
	namespace := cmp.Or(f.where(), f.home)
	kind, name, ok := strings.Cut(f.Operator, "/")
	if !ok {
		kind, name = "", f.Operator
	}
	switch kind {
	case "", "pod", "pods", "po":
		pod, err := f.cluster.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			return []corev1.Pod{*pod}, "named " + name, nil
		case kind != "" || !apierrors.IsNotFound(err):
			return nil, "", fmt.Errorf("find the operator: get Pod %s/%s: %w; use --operator-namespace if it is elsewhere", namespace, name, err)
		}
	case "deployment", "deployments", "deploy":
	default:
		return nil, "", usage{fmt.Sprintf("--operator is NAME, pod/NAME or deployment/NAME, not %q", f.Operator)}
	}
	deployment, err := f.cluster.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, "", fmt.Errorf("find the operator: get Deployment %s/%s: %w; use --operator-namespace if it is elsewhere", namespace, name, err)
	}
	selector, err := metav1.LabelSelectorAsSelector(deployment.Spec.Selector)
	if err != nil {
		return nil, "", fmt.Errorf("find the operator: read the selector of Deployment %s/%s: %w", namespace, name, err)
	}
	return f.selected(ctx, namespace, selector.String())
}

// selected lists Pods by their labels.
func (f *finder) selected(ctx context.Context, namespace, selector string) (pods []corev1.Pod, what string, err error) {
	if _, err := labels.Parse(selector); err != nil {
		return nil, "", usage{fmt.Sprintf("--selector %q is not a label selector: %v", selector, err)}
	}
	list, err := f.cluster.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, "", fmt.Errorf("find the operator: list Pods with the label %s%s: %w%s", selector, within(namespace), err, f.rights(err, namespace))
	}
	return list.Items, "with the label " + selector + within(namespace), nil
}

// rights says what helps against an error for want of a right; empty if the error is another.
func (o *Options) rights(err error, namespace string) string {
	switch {
	case !apierrors.IsForbidden(err):
		return ""
	case namespace == "":
		return "; use --operator-namespace to look in one namespace"
	}
	text := "; it takes the rights to list pods and to create pods/portforward" + within(namespace)
	if o.Lease != "" {
		text += ", and to get leases there"
	}
	return text
}

func within(namespace string) string {
	if namespace == "" {
		return " in any namespace"
	}
	return " in namespace " + namespace
}

// usable leaves out Pods that no port-forward reaches, or that are about to go.
func usable(pods []corev1.Pod) []corev1.Pod {
	var running []corev1.Pod
	for i := range pods {
		if pods[i].Status.Phase == corev1.PodRunning && pods[i].DeletionTimestamp == nil {
			running = append(running, pods[i])
		}
	}
	return running
}

func phase(pod *corev1.Pod) string {
	if pod.DeletionTimestamp != nil {
		return "about to go"
	}
	return string(pod.Status.Phase)
}

func full(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
