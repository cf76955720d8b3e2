//go:build slow

package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

// demo is one run of the program, which is built from this folder.
type demo struct {
	cmd        *exec.Cmd
	temp       string // the folder that it writes into
	marker     string // a variable in the environment of the program and of all programs that it starts
	out        io.Reader
	output     *bufio.Scanner // reads out, and adds to shown
	shown      bytes.Buffer   // the output that was read
	complaints bytes.Buffer   // its standard error, complete when it has ended
}

func startDemo(t *testing.T, args ...string) *demo {
	t.Helper()
	built := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", built+string(filepath.Separator), ".", "../../examples/sample-operator")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the demo: %v\n%s", err, said)
	}
	args = append(args, "-operator", filepath.Join(built, "sample-operator"))
	// The demo gets the time to clean up, also if the test fails.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 8*time.Minute)
	t.Cleanup(cancel)
	d := &demo{cmd: exec.CommandContext(ctx, filepath.Join(built, "demo"), args...), temp: t.TempDir()}
	d.marker = "DEMO_TEST_RUN=" + d.temp
	d.cmd.Dir = filepath.Join("..", "..")
	d.cmd.Env = append(os.Environ(), "TMPDIR="+d.temp, d.marker)
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(syscall.SIGTERM) }
	d.cmd.Stderr = &d.complaints
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.out, d.output = out, bufio.NewScanner(io.TeeReader(out, &d.shown))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the demo showed\n%s\n%s", d.shown.String(), d.complaints.String())
		}
	})
	return d
}

// until reads the demo's output up to a line that has the text.
func (d *demo) until(t *testing.T, text string) {
	t.Helper()
	for d.output.Scan() {
		if strings.Contains(d.output.Text(), text) {
			return
		}
	}
	t.Errorf("the demo ended without %q", text)
}

// end reads the rest of the output, and returns the error that the demo ended with.
func (d *demo) end() error {
	_, _ = io.Copy(&d.shown, d.out) // until its end
	return d.cmd.Wait()
}

// address returns the address that the demo shows for a name.
func (d *demo) address(name string) (value string, said bool) {
	for line := range strings.Lines(d.shown.String()) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// endpoints are the names that the demo shows addresses for.
var endpoints = []string{"API server", "metrics", "health", "webhooks"}

// nothingIsLeft fails if processes, listeners or files are left.
func (d *demo) nothingIsLeft(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(d.temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		t.Errorf("left behind: %s", entry.Name())
	}
	for _, name := range endpoints {
		address, said := d.address(name)
		if !said {
			continue // it was ended before
		}
		_, host, _ := strings.Cut(address, "://")
		host, _, _ = strings.Cut(host, "/")
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
		if err == nil {
			_ = conn.Close()
			t.Errorf("somebody still listens on %s, where the demo had its %s", host, name)
		}
	}
	environments, err := filepath.Glob("/proc/[0-9]*/environ") // none where there is no /proc
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environments {
		if content, err := os.ReadFile(path); err == nil && bytes.Contains(content, []byte(d.marker)) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			t.Errorf("a process of the demo's is left: %s", bytes.ReplaceAll(command, []byte{0}, []byte{' '}))
		}
	}
}

func TestStory(t *testing.T) {
	d := startDemo(t, "-once")
	if err := d.end(); err != nil {
		t.Errorf("the demo ended with %v", err)
	}
	d.nothingIsLeft(t)
	for _, name := range endpoints {
		if _, said := d.address(name); !said {
			t.Errorf("the demo does not say where its %s is", name)
		}
	}

	showsTheStory(t, d.shown.String())
	if d.complaints.Len() > 0 {
		t.Errorf("the demo writes errors: %s", d.complaints.String())
	}
	readmeShows(t, d.shown.String())
	if strings.Contains(d.shown.String(), "\x1b") {
		t.Error("there are colours in output that does not go to a terminal")
	}
	for _, password := range []string{"swordfish", "marlin"} {
		for line := range strings.Lines(d.shown.String()) {
			if strings.Contains(line, password) && !strings.Contains(line, "$ kubectl patch secrets") {
				t.Errorf("the password is shown: %s", line)
			}
		}
	}
}

// readmeShows checks that the part of the story in the README is what the demo shows. It
// ignores numbers.
func readmeShows(t *testing.T, shown string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := docblocks.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	numbers := regexp.MustCompile(`[0-9][0-9:.]*(µs|ms|s)?`)
	shown = numbers.ReplaceAllString(shown, "#")
	for _, block := range blocks {
		if !block.Fenced || !strings.HasPrefix(block.Text, "── ") {
			continue
		}
		for line := range strings.Lines(block.Text) {
			if !strings.Contains(shown, numbers.ReplaceAllString(line, "#")) {
				t.Errorf("the README shows %q, the demo does not", line)
			}
		}
	}
}

func TestCtrlC(t *testing.T) {
	for _, moment := range []string{"Starting a control plane", "The Secret comes"} {
		t.Run(moment, func(t *testing.T) {
			d := startDemo(t)
			d.until(t, moment)
			if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := d.end(); err != nil {
				t.Errorf("the demo ended with %v", err)
			}
			d.nothingIsLeft(t)
		})
	}
}
