package canary

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// command is a program to run.
type command struct {
	name string
	args []string
	in   string
	// until ends the program, which would not end by itself, when what it wrote is enough.
	until func(text string) bool
}

// run returns what a program wrote. Unless it is ended, it has to succeed.
func run(t *testing.T, c command) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Patience)
	defer cancel()
	var text written
	program := exec.CommandContext(ctx, c.name, c.args...)
	program.Stdin, program.Stdout, program.Stderr = strings.NewReader(c.in), &text, &text
	program.Cancel = func() error { return program.Process.Signal(syscall.SIGTERM) }
	must(t, program.Start())
	var all []byte
	if c.until != nil {
		await.Within(t, 10*time.Second, strings.Join(c.args, " ")+" to write enough", func() error {
			all = append(all, text.take()...)
			if !c.until(string(all)) {
				return fmt.Errorf("it wrote %q", all)
			}
			return nil
		})
		cancel()
	}
	err := program.Wait()
	all = append(all, text.take()...)
	if err != nil && c.until == nil {
		t.Errorf("%s %s: %v: %s", c.name, c.args, err, all)
	}
	return string(all)
}

// binary is a program of the control plane's.
func binary(t *testing.T, name string) string {
	t.Helper()
	path, err := controlplane.Binary(name)
	must(t, err)
	return path
}

// plugin is kubectl delta, as its users run it.
type plugin struct {
	*visitor
	program string
	url     []string // of the inspector, as arguments
	nudge   func()   // changes a Secret
}

// newPlugin builds the plugin.
func newPlugin(v *visitor, nudge func()) *plugin {
	v.t.Helper()
	p := &plugin{visitor: v, program: filepath.Join(v.t.TempDir(), "kubectl-delta"), url: []string{"--url", v.base}, nudge: nudge}
	run(v.t, command{name: "go", args: []string{"-C", filepath.Join("..", "..", "cmd", "kubectl-delta"), "build", "-o", p.program, "."}})
	return p
}

// commandLine finds the commands in the help of the program.
var commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[A-Z]`)

// all runs each command that the help names, for all that it can be asked for, in each format.
func (p *plugin) all(about *knowledge) {
	p.t.Helper()
	help := run(p.t, command{name: p.program, args: []string{"--help"}})
	p.hunt.collect("kubectl delta help", []byte(help))
	_, listed, _ := strings.Cut(help, "Available Commands:")
	listed, _, _ = strings.Cut(listed, "Flags:")
	found := commandLine.FindAllStringSubmatch(listed, -1)
	if len(found) < 15 {
		p.t.Errorf("there are the commands %v in %s", found, help)
	}
	for _, command := range found {
		lines, known := p.lines(command[1], about)
		if !known {
			p.t.Errorf("nobody has said how to run the command %s", command[1])
		}
		for _, args := range lines {
			for _, format := range []string{"", "json", "yaml"} {
				p.once(command[1], slices.Concat([]string{command[1]}, args, p.url, []string{"-o", format}))
			}
		}
	}
}

// once runs one command. It may fail: what it says then is hunted through, too.
func (p *plugin) once(name string, args []string) {
	var out bytes.Buffer
	program := exec.CommandContext(p.t.Context(), p.program, args...)
	program.Stdout, program.Stderr = &out, &out
	_ = program.Run()
	p.hunt.collect("kubectl delta "+name, out.Bytes())
}

// lines are the arguments with which a command is run.
func (p *plugin) lines(command string, about *knowledge) (lines [][]string, known bool) {
	switch command {
	case "why", "history", "diff":
		for _, secret := range about.secrets {
			lines = append(lines, []string{"v1 Secret", secret, "-n", about.namespace})
		}
		if command == "diff" {
			lines = append(lines, []string{"v1 Secret (unstructured)", "sealed-life", "-n", about.namespace, "--last", "100"})
		}
		lines = append(lines, []string{"secret.vault.example.com/sealed-custom", "-n", about.namespace}, []string{"sealed-life"})
	case "status":
		lines = [][]string{{}, {"--fail"}}
	case "top":
		lines = [][]string{{}, {"--controller", "sealed-life"}}
		for _, controller := range about.controllers {
			lines = append(lines, []string{"--controller", controller})
		}
	case "queue":
		lines = [][]string{{}, {"objects"}, {"sealed-life"}}
	case "memory", "relist", "resync", "policies":
		for _, kind := range about.kinds {
			lines = append(lines, []string{kind})
		}
		lines = append(lines, []string{}, []string{"sealed-life"})
		if command == "policies" {
			lines = append(lines, []string{"set", "v1 Secret", "--period", "3s"}, []string{"set", "v1 Secret", "--period", "sealed-life"})
		}
	case "forget", "cancel":
		for _, secret := range about.secrets {
			lines = append(lines, []string{"objects", about.namespace + "/" + secret})
		}
	case "help":
		lines = [][]string{{}}
	case "completion":
		lines = [][]string{{"bash"}}
	case "watch":
		p.watch()
	case "page":
		p.local()
	default:
		return nil, false
	}
	return lines, true
}

// watch runs the command in each format until it has shown a Secret.
func (p *plugin) watch() {
	for _, format := range []string{"", "json", "yaml"} {
		for _, args := range [][]string{{}, {"--diff"}, {"v1 Secret", "--diff"}} {
			text := run(p.t, command{
				name: p.program, args: slices.Concat([]string{"watch"}, args, p.url, []string{"-o", format}),
				until: func(text string) bool {
					p.nudge()
					return strings.Contains(text, "sealed-nudged")
				},
			})
			p.hunt.collect("kubectl delta watch", []byte(text))
		}
	}
}

// local runs the command page, and reads the page and the API where it says.
func (p *plugin) local() {
	address := regexp.MustCompile(`http://[^\s]+`)
	run(p.t, command{
		name: p.program, args: slices.Concat([]string{"page"}, p.url),
		until: func(text string) bool {
			at := address.FindString(text)
			if at == "" {
				return false
			}
			p.hunt.collect("kubectl delta page", []byte(text))
			p.get("kubectl delta page", at)
			base, _, _ := strings.Cut(at, "?")
			p.get("kubectl delta page", base+"delta/v1/deltas")
			return true
		},
	})
}
