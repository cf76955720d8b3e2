package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// cluster is a control plane and an operator.
type cluster struct {
	settings
	out     *printer
	journal journal
	working atomic.Bool // the operator has listed everything
	plane   *controlplane.Plane
	kubectl string // the program
	config  string // an administrator's kubeconfig

	// The addresses of the operator.
	metrics, inspector, health, webhooks string
}

// startCluster starts a cluster in which Pods can run. The operator starts later: see show.
func startCluster(ctx context.Context, out *printer) (*cluster, error) {
	out.title("Starting a control plane on this machine")
	start := time.Now()
	plane, err := controlplane.Start(ctx, controlplane.Options{})
	if err != nil {
		return nil, err
	}
	c := &cluster{out: out, plane: plane, config: filepath.Join(plane.Folder(), "kubeconfig")}
	if err := c.prepare(ctx); err != nil {
		plane.Stop()
		return nil, err
	}
	out.success("the control plane runs, and knows the operator's manifests", time.Since(start))
	return c, nil
}

// prepare makes the control plane ready for the operator.
func (c *cluster) prepare(ctx context.Context) (err error) {
	if c.kubectl, err = controlplane.Binary("kubectl"); err != nil {
		return err
	}
	if here, err := os.Getwd(); err == nil {
		c.kubectl = strings.TrimPrefix(c.kubectl, here+string(filepath.Separator)) // people read it and type it
	}
	if err := controlplane.WriteKubeconfig(c.config, c.plane.Config()); err != nil {
		return err
	}
	for _, address := range []*string{&c.metrics, &c.inspector, &c.health, &c.webhooks} {
		if *address, err = controlplane.FreeAddress(ctx); err != nil {
			return err
		}
	}
	if err := c.install(ctx); err != nil {
		return err
	}
	return c.plane.StartWorkloads(ctx)
}

// install applies the operator's manifests. No program runs yet that looks for kinds: the garbage
// collector does so at its start, and then only every thirty seconds.
func (c *cluster) install(ctx context.Context) error {
	text, err := c.run(ctx, "kustomize", "config/default")
	if err != nil {
		return err
	}
	adapted, err := adapt(text, c.webhooks, c.plane.Config().CAData)
	if err != nil {
		return err
	}
	path := filepath.Join(c.plane.Folder(), "operator.json")
	if err := os.WriteFile(path, adapted, 0o600); err != nil {
		return fmt.Errorf("write the operator's manifests: %w", err)
	}
	if _, err := c.run(ctx, "apply", "--server-side", "--filename", path); err != nil {
		return err
	}
	_, err = c.run(ctx, "wait", "--for=condition=Established", "--timeout=60s", "customresourcedefinitions/sites.web.example.com")
	return err
}

// run runs kubectl as an administrator, and returns its output.
func (c *cluster) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.kubectl, append([]string{"--kubeconfig", c.config}, args...)...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return string(said), nil
}
