package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// complete starts the programs that make ready Pods from Deployments. The story may begin
// while these programs are built for the first time.
func (c *cluster) complete(ctx context.Context) error {
	start := time.Now()
	if err := c.make(ctx, "cluster"); err != nil {
		return err
	}
	if err := c.plane.StartWorkloads(ctx); err != nil {
		return err
	}
	c.out.success("kube-controller-manager, kube-scheduler and kwok run as well", time.Since(start))
	close(c.whole)
	return nil
}

// make builds a target of the Makefile, and shows its output.
func (c *cluster) make(ctx context.Context, target string) error {
	cmd := exec.CommandContext(ctx, "make", "--no-print-directory", target)
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
	var said []string
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	if err := eachLine(cmd, func(line string) {
		said = append(said, line)
		if !strings.HasPrefix(line, "up to date: ") {
			c.out.note(clean(line))
		}
	}); err != nil {
		return fmt.Errorf("make %s: %w\n%s", target, err, strings.Join(said, "\n"))
	}
	return nil
}

// interrupt asks a program and all programs that it started to end, because the go command
// does not pass the signal on. On Linux the program leads a process group of its own, by
// controlplane.Bind.
func interrupt(p *os.Process) error {
	if syscall.Kill(-p.Pid, syscall.SIGINT) == nil {
		return nil
	}
	return p.Signal(os.Interrupt)
}
