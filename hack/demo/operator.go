package main

import (
	"bufio"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// These are names in the operator's manifests.
const (
	operatorNamespace = "sample-operator-system"
	operatorAccount   = "sample-operator-controller-manager"
)

// patience is how long the operator may take for a chapter, and to end.
const patience = time.Minute

// runOperator runs the operator until ctx ends. The operator has the rights that its
// manifests grant. runOperator reads its log.
func (c *cluster) runOperator(ctx context.Context) error {
	config, err := c.plane.ServiceAccountConfig(ctx, operatorNamespace, operatorAccount)
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(c.plane.Folder(), "operator.kubeconfig")
	if err := controlplane.WriteKubeconfig(kubeconfig, config); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.operator, c.operatorFlags(kubeconfig)...)
	cmd.Env = append(os.Environ(), "ENABLE_WEBHOOKS=true")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err = c.listen(cmd)
	if ctx.Err() != nil {
		return ctx.Err() // it ended because ctx ended
	}
	return fmt.Errorf("run %s: it ended by itself: %w", c.operator, err)
}

func (c *cluster) operatorFlags(kubeconfig string) []string {
	return []string{
		"--kubeconfig=" + kubeconfig,
		"--namespace=" + operatorNamespace,
		"--metrics-bind-address=" + c.metrics,
		"--metrics-secure=false", // for a curl on this machine
		"--inspector-bind-address=" + c.inspector,
		"--health-probe-bind-address=" + c.health,
		fmt.Sprint("--webhook-port=", netip.MustParseAddrPort(c.webhooks).Port()),
		"--webhook-cert-path=" + c.plane.Folder(),
		"--zap-encoder=json", "--zap-log-level=debug", "--zap-time-encoding=rfc3339nano",
	}
}

// listen runs the operator, and handles each line that it writes.
func (c *cluster) listen(cmd *exec.Cmd) error {
	output, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr, cmd.WaitDelay = cmd.Stdout, patience
	defer controlplane.Bind(cmd)()
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			c.hear(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return cmd.Wait() // its output has ended, so the program has ended, too
		}
	}
}

// hear handles a line that the operator wrote.
func (c *cluster) hear(line string) {
	e, err := parse([]byte(line))
	if err != nil {
		c.out.raw(line)
		return
	}
	e.Time = e.Time.Local()
	switch e.Message {
	case working:
		c.working.Store(true)
	case reconciled:
		if !c.journal.add(e) && e.foldable() {
			c.out.fold()
			return
		}
	}
	c.out.line(e)
}
