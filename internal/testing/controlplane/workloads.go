package controlplane

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
)

// workloads are the programs without which Pods are mere objects.
var workloads = []string{"kube-controller-manager", "kube-scheduler", "kwok"}

// nodeName is the node that kwok plays.
const nodeName = "node-1"

// kwokConfig says what kwok makes of the node and of the Pods that are bound to it.
//
//go:embed kwok.yaml
var kwokConfig []byte

// StartWorkloads starts what Options.Workloads is about in a Plane that has it not, and
// waits until the node takes Pods. So a caller can have its CRDs there first: the garbage
// collector looks for kinds when it starts, and after that every thirty seconds.
func (p *Plane) StartWorkloads(ctx context.Context) error {
	if _, err := binaries(workloads...); err != nil {
		return fmt.Errorf("start workloads: %w", err)
	}
	if err := WriteKubeconfig(p.kubeconfig(), p.admin); err != nil {
		return err
	}
	if err := os.WriteFile(p.file("kwok.yaml"), kwokConfig, 0o600); err != nil {
		return fmt.Errorf("write kwok.yaml: %w", err)
	}
	var programs []*process
	for _, name := range workloads {
		program, err := command{
			path: filepath.Join(p.bin, name),
			args: p.workloadFlags(name),
			log:  p.file(name + ".log"),
			home: p.folder, // a user's kwok has settings there that ours must not take over
		}.start(p.group)
		if err != nil {
			return err
		}
		programs = append(programs, program)
	}
	core, done, err := p.core()
	if err != nil {
		return err
	}
	defer done()
	return wait(ctx, func(ctx context.Context) error { return takesPods(ctx, core) }, programs...)
}

func (p *Plane) kubeconfig() string { return p.file("admin.kubeconfig") }

// workloadFlags lets the programs in as administrators. None elects a leader, as
// there is one of each, and none serves: that it works is seen by what it does.
func (p *Plane) workloadFlags(name string) []string {
	quick := []string{
		"--kubeconfig=" + p.kubeconfig(),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=1000", // a limit protects a server that others need, too
		"--kube-api-burst=2000",
	}
	switch name {
	case "kube-controller-manager":
		return append(quick,
			"--service-account-private-key-file="+p.file("tls.key"),
			"--root-ca-file="+p.file("tls.crt"))
	case "kube-scheduler":
		return quick
	case "kwok":
		return []string{
			"--kubeconfig=" + p.kubeconfig(),
			"--config=" + p.file("kwok.yaml"),
			"--manage-single-node=" + nodeName,
			"--node-ip=" + nodeIP,
			"--cidr=10.1.0.0/16",
			// A node whose lease is renewed is not given up for lost.
			"--node-lease-duration-seconds=40",
		}
	}
	panic(fmt.Sprintf("BUG: no flags for %q", name))
}

// takesPods makes the node if it is not there, and complains until Pods are let in
// and bound to it: until kwok calls it ready, the controller manager has therefore taken the
// taints off, and has made the service account that every Pod has.
func takesPods(ctx context.Context, core *coreclient.CoreV1Client) error {
	node, err := core.Nodes().Get(ctx, nodeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		node, err = core.Nodes().Create(ctx, newNode(), metav1.CreateOptions{})
	}
	if err != nil {
		return fmt.Errorf("make node %s: %w", nodeName, err)
	}
	if len(node.Spec.Taints) > 0 {
		return fmt.Errorf("node %s is not ready yet, with taints %v", nodeName, node.Spec.Taints)
	}
	if _, err := core.ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{}); err != nil {
		return fmt.Errorf("find the service account of Pods: %w", err)
	}
	return nil
}

const nodeIP = "10.2.0.1"

// newNode is as big as any test may need: nothing runs there.
func newNode() *corev1.Node {
	size := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("1000"),
		corev1.ResourceMemory: resource.MustParse("1Ti"),
		corev1.ResourcePods:   resource.MustParse("10000"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName, Labels: map[string]string{corev1.LabelHostname: nodeName}},
		Status: corev1.NodeStatus{
			Capacity: size, Allocatable: size,
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: nodeIP},
				{Type: corev1.NodeHostName, Address: nodeName},
			},
		},
	}
}
