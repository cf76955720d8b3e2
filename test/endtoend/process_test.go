package endtoend

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// profileVariable is how the names of profiles begin.
const profileVariable = "BENCH_PROFILE"

// A process is this test binary with a job. It ends when its standard input does, so that it
// does not outlive the benchmark.
type process struct {
	command *exec.Cmd
	output  *bufio.Reader
	errors  bytes.Buffer
	input   io.Closer
}

func start(tb testing.TB, j job) *process {
	tb.Helper()
	text, err := json.Marshal(j)
	must(tb, err)
	binary, err := os.Executable()
	must(tb, err)
	p := &process{command: exec.CommandContext(tb.Context(), binary)}
	p.command.Env = append(slices.DeleteFunc(os.Environ(), tunesMemory), jobVariable+"="+string(text))
	p.command.Stderr = &p.errors
	output, err := p.command.StdoutPipe()
	must(tb, err)
	p.output = bufio.NewReader(output)
	if p.input, err = p.command.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	must(tb, p.command.Start())
	return p
}

// tunesMemory reports whether an environment variable would change when memory is collected.
// A user's process has none of them.
func tunesMemory(variable string) bool {
	return strings.HasPrefix(variable, "GOGC=") || strings.HasPrefix(variable, "GOMEMLIMIT=")
}

// line returns the next line that the process prints. If there is none, the error has what the
// process has said of its end.
func (p *process) line() (string, error) {
	line, err := p.output.ReadString('\n')
	if err != nil {
		p.stop()
		return "", fmt.Errorf("a process has ended: %w: %s", err, p.errors.String())
	}
	return strings.TrimSpace(line), nil
}

// stop ends the process and waits for it.
func (p *process) stop() {
	_ = p.input.Close()
	_ = p.command.Wait() // it ends with an error, because its input has
}

// play plays a scenario with a server and a client, and returns what the client has measured.
func play(tb testing.TB, s scenario) (found figures, err error) {
	tb.Helper()
	server := start(tb, job{Scenario: s})
	defer server.stop()
	address, err := server.line()
	if err != nil {
		return found, err
	}
	client := start(tb, job{Scenario: s, Server: address, Profile: os.Getenv(profileVariable)})
	defer client.stop()
	text, err := client.line()
	if err != nil {
		return found, err
	}
	err = json.Unmarshal([]byte(text), &found)
	return found, err
}
