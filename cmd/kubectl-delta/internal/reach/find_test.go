package reach

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// A closed connection of spdystream stays for another second, in case somebody asks how its
// end went. Nothing can be done about that from outside.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/moby/spdystream.(*Connection).shutdown"))
}

var ours = map[string]string{"delta-runtime.dev/inspector": "true"}

// pod is a running Pod of a Deployment, whose name is that of the Pod up to the last two "-".
func pod(namespace, name string, labels map[string]string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{}}}
	for key, value := range labels {
		p.Labels[key] = value
	}
	if parts := strings.Split(name, "-"); len(parts) > 2 {
		yes := true
		p.Labels["pod-template-hash"] = parts[len(parts)-2]
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: strings.Join(parts[:len(parts)-1], "-"), Controller: &yes}}
	}
	p.Status.Phase = corev1.PodRunning
	return p
}

func lease(namespace, name, holder string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &holder},
	}
}

func with(p *corev1.Pod, change func(*corev1.Pod)) *corev1.Pod {
	change(p)
	return p
}

func deployment(namespace, name string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}},
	}
}

// longName is longer than a host name may be.
var longName = "op-" + strings.Repeat("x", 58) + "-7f-abcde"

func TestFind(t *testing.T) {
	gone := func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending }
	going := func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }
	kubebuilder := map[string]string{"control-plane": "controller-manager"}
	for name, test := range map[string]struct {
		options Options
		cluster []runtime.Object
		want    string // the Pod, or a part of the error
	}{
		"the only one":                {Options{}, []runtime.Object{pod("a", "op-7f-abcde", ours), pod("b", "x", nil)}, "a/op-7f-abcde"},
		"a label of kubebuilder":      {Options{}, []runtime.Object{pod("a", "op-7f-abcde", kubebuilder)}, "a/op-7f-abcde"},
		"the preferred label":         {Options{OperatorNamespace: "a"}, []runtime.Object{pod("a", "no-7f-abcde", kubebuilder), pod("a", "op-7f-abcde", ours)}, "a/op-7f-abcde"},
		"a Pod with both labels":      {Options{}, []runtime.Object{with(pod("a", "op-7f-abcde", ours), func(p *corev1.Pod) { p.Labels["control-plane"] = "controller-manager" })}, "a/op-7f-abcde"},
		"one namespace":               {Options{OperatorNamespace: "b"}, []runtime.Object{pod("a", "op", ours), pod("b", "op", ours)}, "b/op"},
		"a Pod by name":               {Options{Operator: "op", OperatorNamespace: "b"}, []runtime.Object{pod("a", "op", ours), pod("b", "op", nil)}, "b/op"},
		"a Pod by name at home":       {Options{Operator: "op"}, []runtime.Object{pod("home", "op", nil)}, "home/op"},
		"a Deployment":                {Options{Operator: "op"}, []runtime.Object{deployment("home", "op"), pod("home", "op-7f-abcde", map[string]string{"app": "op"})}, "home/op-7f-abcde"},
		"only one runs":               {Options{}, []runtime.Object{with(pod("a", "op-7f-abcde", ours), gone), with(pod("a", "op-7f-fghij", ours), going), pod("a", "op-8e-klmno", ours)}, "a/op-8e-klmno"},
		"the leader":                  {Options{}, []runtime.Object{pod("a", "op-7f-abcde", ours), pod("a", "op-7f-fghij", ours), lease("a", "x", "op-7f-fghij_123-456"), lease("a", "y", "other_1")}, "a/op-7f-fghij"},
		"the leader during a rollout": {Options{}, []runtime.Object{pod("a", "op-7f-abcde", ours), pod("a", "op-8e-fghij", ours), lease("a", "x", "op-7f-abcde_1")}, "a/op-7f-abcde"},
		"a long name":                 {Options{}, []runtime.Object{pod("a", longName, ours), pod("a", "op-"+strings.Repeat("x", 58)+"-8e-fghij", ours), lease("a", "x", longName[:longestHost]+"_1")}, "a/" + longName},
		"a host name of its own":      {Options{}, []runtime.Object{with(pod("a", "op-7f-abcde", ours), func(p *corev1.Pod) { p.Spec.Hostname = "mine" }), pod("a", "op-7f-fghij", ours), lease("a", "x", "mine_1")}, "a/op-7f-abcde"},
		"a node's network":            {Options{}, []runtime.Object{with(pod("a", "op-7f-abcde", ours), func(p *corev1.Pod) { p.Spec.HostNetwork, p.Spec.NodeName = true, "node-1" }), pod("a", "op-7f-fghij", ours), lease("a", "x", "node-1_1")}, "a/op-7f-abcde"},

		"the leader of a Deployment": {Options{Operator: "op"}, []runtime.Object{
			deployment("home", "op"), pod("home", "op-7f-abcde", map[string]string{"app": "op"}), pod("home", "op-7f-fghij", map[string]string{"app": "op"}),
			lease("home", "x", "op-7f-abcde_1"),
		}, "home/op-7f-abcde"},

		"nothing":               {Options{}, nil, "no Pods with the label delta-runtime.dev/inspector=true or control-plane=controller-manager in any namespace; label"},
		"nothing runs":          {Options{}, []runtime.Object{with(pod("a", "op", ours), gone)}, "a/op is Pending"},
		"no such operator":      {Options{Operator: "op"}, nil, "use --operator-namespace if it is elsewhere"},
		"a label of each":       {Options{}, []runtime.Object{pod("a", "op-7f-abcde", kubebuilder), pod("b", "op-7f-abcde", ours)}, "there are 2 operators"},
		"two operators":         {Options{}, []runtime.Object{pod("a", "op-7f-abcde", ours), pod("b", "op-7f-abcde", ours)}, "there are 2 operators, and the one that you name gets the token: use --operator-namespace a --operator op-7f-abcde, or --operator-namespace b --operator op-7f-abcde"},
		"two in one namespace":  {Options{}, []runtime.Object{pod("a", "op-7f-abcde", ours), pod("a", "no-7f-abcde", ours), lease("a", "x", "op-7f-abcde_1")}, "--operator no-7f-abcde, or --operator-namespace a --operator op-7f-abcde   # the leader"},
		"replicas and no Lease": {Options{}, []runtime.Object{pod("a", "op-7f-abcde", ours), pod("a", "op-7f-fghij", ours)}, "no Lease says which replica leads: use --operator-namespace a --operator op-7f-abcde, or"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Options: &test.options, cluster: fake.NewClientset(test.cluster...), home: "home"}
			found, err := f.find(t.Context())
			switch {
			case err != nil && !strings.Contains(err.Error(), test.want):
				t.Errorf("the error is %q, want %q", err, test.want)
			case err == nil && full(found) != test.want:
				t.Errorf("found %s, want %s", full(found), test.want)
			}
		})
	}
}

func TestRightsThatAreMissing(t *testing.T) {
	refuse := func(cluster *fake.Clientset, resource string) {
		cluster.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("not you"))
		})
	}
	cluster := fake.NewClientset(pod("a", "op-7f-abcde", ours), pod("a", "op-7f-fghij", ours))
	refuse(cluster, "leases")
	f := &finder{Options: &Options{}, cluster: cluster}
	_, err := f.find(t.Context())
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) || len(ambiguous.Choices) != 2 || !strings.Contains(ambiguous.Why, "list Leases in namespace a") {
		t.Errorf("without a right to Leases the error is %v", err)
	}
	refuse(cluster, "pods")
	if _, err := f.find(t.Context()); err == nil || !strings.Contains(err.Error(), "use --operator-namespace to look in one namespace") {
		t.Errorf("without a right to Pods the error is %v", err)
	}
}

// TestRightsToGrant has users who have named the namespace, and may or may not do anything there.
func TestRightsToGrant(t *testing.T) {
	const rights = "not you; it takes the rights to list pods and to create pods/portforward in namespace a"
	for refused, missing := range map[error]bool{
		apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("not you")): true,
		errors.New("no route to host"): false,
	} {
		cluster := fake.NewClientset()
		cluster.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, refused })
		_, err := (&finder{Options: &Options{OperatorNamespace: "a"}, cluster: cluster}).find(t.Context())
		if !errors.Is(err, refused) || strings.HasSuffix(err.Error(), rights) != missing || strings.Contains(err.Error(), "rights") != missing {
			t.Errorf("for %v the error is %v", refused, err)
		}
	}
}
