package endtoend

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/test/endtoend/wireserver"
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

// serve is the server's process. It prints its address when it is ready.
func serve(s scenario) error {
	server, err := wireserver.New(s.collection())
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String())
	handler := commands(server)
	handler.Handle("/", server)
	if s.Lies {
		handler.HandleFunc("GET /versions", versions(func() map[string]string {
			all := server.Versions()
			all[slices.Max(slices.Collect(maps.Keys(all)))] = "9"
			return all
		}))
	} else {
		handler.HandleFunc("GET /versions", versions(server.Versions))
	}
	return http.Serve(listener, handler) //nolint:gosec // nobody else is connected
}

func versions(of func() map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(of()) }
}

// commands adds what the client tells the server to do.
func commands(server *wireserver.Server) *http.ServeMux {
	mux := http.NewServeMux()
	command := func(do func(n int) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			n, err := strconv.Atoi(r.PathValue("n"))
			if err == nil {
				err = do(n)
			}
			if err == nil {
				return
			}
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}
	mux.HandleFunc("POST /release/{n}", command(server.Release))
	mux.HandleFunc("POST /expire/{n}", command(server.Expire))
	return mux
}
