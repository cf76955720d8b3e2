package main

import (
	"bufio"
	"os/exec"
	"strings"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// eachLine runs a program that goes with this one, and calls tell with each line that it writes.
// The program may take a minute to end after its context has.
func eachLine(cmd *exec.Cmd, tell func(line string)) error {
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
			tell(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			return cmd.Wait() // its output has ended, so the program has ended, too
		}
	}
}
