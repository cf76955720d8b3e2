package reach

import (
	"context"
	"fmt"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// longestHost is where the kubelet cuts a Pod's name to make its host name.
const longestHost = 63

// holder returns the Pod that holds --lease.
func (f *finder) holder(ctx context.Context) (*corev1.Pod, error) {
	lease, err := f.lease(ctx)
	if err != nil {
		return nil, err
	}
	host := hostOf(lease)
	if host == "" {
		return nil, fmt.Errorf("find the operator: nobody holds Lease %s: wait until the operator has elected a leader, or use --operator", f.Lease)
	}
	list, err := f.cluster.CoreV1().Pods(lease.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("find the operator: list Pods in namespace %s: %w%s; use --operator POD", lease.Namespace, err, f.rights(err, lease.Namespace))
	}
	pods := leading(usable(list.Items), []string{host})
	if len(pods) != 1 {
		return nil, fmt.Errorf("find the operator: %q holds Lease %s, and %d Pods in its namespace have that host name: use --operator POD",
			host, f.Lease, len(pods))
	}
	return &pods[0], nil
}

func (f *finder) lease(ctx context.Context) (*coordinationv1.Lease, error) {
	namespace, name, err := pair("--lease", f.Lease)
	if err != nil {
		return nil, err
	}
	lease, err := f.cluster.CoordinationV1().Leases(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("find the operator's leader: get Lease %s: %w%s; use --operator POD", f.Lease, err, f.rights(err, namespace))
	}
	return lease, nil
}

// leader returns the one of several Pods that leads, if they belong to one operator.
func (f *finder) leader(ctx context.Context, pods []corev1.Pod) (*corev1.Pod, error) {
	operators := grouped(pods)
	leaders, err := f.leaders(ctx, pods)
	switch {
	case err != nil && f.Lease != "":
		return nil, err
	case err != nil:
		return nil, ambiguous(operators, nil, err.Error())
	case len(leaders) == 1 && (f.Lease != "" || len(operators) == 1):
		return &leaders[0], nil
	}
	return nil, ambiguous(operators, leaders, "no Lease says which replica leads")
}

// leaders returns the Pods that hold a Lease of their namespace, or hold --lease.
func (f *finder) leaders(ctx context.Context, pods []corev1.Pod) ([]corev1.Pod, error) {
	if f.Lease != "" {
		lease, err := f.lease(ctx)
		if err != nil {
			return nil, err
		}
		pods = slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return p.Namespace != lease.Namespace })
		return leading(pods, []string{hostOf(lease)}), nil
	}
	var found []corev1.Pod
	for _, namespace := range namespaces(pods) {
		list, err := f.cluster.CoordinationV1().Leases(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list Leases in namespace %s: %w", namespace, err)
		}
		var hosts []string
		for i := range list.Items {
			hosts = append(hosts, hostOf(&list.Items[i]))
		}
		here := slices.DeleteFunc(slices.Clone(pods), func(p corev1.Pod) bool { return p.Namespace != namespace })
		found = append(found, leading(here, hosts)...)
	}
	return found, nil
}

// hostOf is the part of a holder's identity that is a host name. Host names have no "_", and
// neither has the random part.
func hostOf(lease *coordinationv1.Lease) string {
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	identity := *lease.Spec.HolderIdentity
	if i := strings.LastIndexByte(identity, '_'); i >= 0 {
		return identity[:i]
	}
	return identity
}

// leading returns the Pods whose host name is among hosts.
func leading(pods []corev1.Pod, hosts []string) []corev1.Pod {
	var found []corev1.Pod
	for i := range pods {
		if slices.Contains(hosts, hostName(&pods[i])) {
			found = append(found, pods[i])
		}
	}
	return found
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

func namespaces(pods []corev1.Pod) []string {
	var names []string
	for i := range pods {
		names = append(names, pods[i].Namespace)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
