package endtoend

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/internal/testing/wireserver"
)

// A life is what a process does that ends in good order: it starts, reconciles everything once, and stops. With a
// directory it saves its state there at the end, and begins with the state that it finds.
func (s *subject) life() (figures, error) {
	found := figures{BaseHeap: settle()}
	before, err := s.listCount()
	if err != nil {
		return found, err
	}
	mgr, err := s.newManager()
	if err != nil {
		return found, err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	deliveries := s.Scenario.Objects
	if s.Life > 1 && s.Scenario.Side == ours { // the saved state, and what has changed since
		deliveries += s.Scenario.Events
	}
	s.began = time.Now()
	found.ListCPU, err = s.during("start", ended, func() bool { return s.seen.delivered >= deliveries }, func() error {
		go func() { ended <- mgr.Start(ctx) }()
		return nil
	})
	if err != nil {
		return found, err
	}
	found.StartTime = time.Since(s.began)
	found.ChangeTime = time.Duration(s.told.Load())
	found.Heap = settle()
	after, err := s.listCount()
	if err != nil {
		return found, err
	}
	found.Lists = after - before
	if err := s.check(mgr); err != nil {
		return found, err
	}
	cpu := benchkit.StartCPU()
	stop()
	if err := <-ended; err != nil {
		return found, fmt.Errorf("the manager has ended with an error: %w", err)
	}
	cpu.Stop()
	found.EndCPU = cpu.Spent()
	return found, nil
}

// listCount returns how often the server was asked for a list so far.
func (s *subject) listCount() (int, error) {
	answer, err := http.Get(s.Server + "/lists") //nolint:noctx // the process ends if it hangs
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	var n int
	err = json.NewDecoder(answer.Body).Decode(&n)
	return n, err
}

// countLists serves the server, and how often it was asked for a list. It also says what a server says of itself.
func countLists(mux *http.ServeMux, server *wireserver.Server) {
	var lists atomic.Int64
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		resource := strings.HasSuffix(r.URL.Path, "/pods") || strings.HasSuffix(r.URL.Path, "/workloads")
		if resource && (query.Get("watch") == "" || query.Get("sendInitialEvents") != "") {
			lists.Add(1)
		}
		server.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /lists", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(strconv.AppendInt(nil, lists.Load(), 10))
	})
	mux.HandleFunc("GET /openapi/v3", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=1"},"apis/bench.example.com/v1":{"serverRelativeURL":"/openapi/v3/apis/bench.example.com/v1?hash=1"}}}`)
	})
}

// playRestart has a client live twice, with a change in between, and returns what it has measured in its second life.
func playRestart(tb testing.TB, s scenario) (found figures, err error) {
	tb.Helper()
	server := start(tb, job{Scenario: s})
	defer server.stop()
	address, err := server.line()
	if err != nil {
		return found, err
	}
	dir := ""
	if s.Side == ours {
		dir = tb.TempDir()
	}
	for life := range 2 {
		if life > 0 && s.Events > 0 {
			between := subject{job: job{Server: address}}
			if err := between.tell("release", s.Events); err != nil {
				return found, err
			}
		}
		client := start(tb, job{Scenario: s, Server: address, Profile: os.Getenv(profileVariable), Dir: dir, Life: life + 1})
		text, err := client.line()
		client.stop()
		if err != nil {
			return found, err
		}
		if err := json.Unmarshal([]byte(text), &found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// TestRestart sees that the second life lists nothing, and that its reconciler is told of what has changed in between, with its old
// state and with nothing that may be missing.
func TestRestart(t *testing.T) {
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			found, err := playRestart(t, scenario{Side: ours, Form: form, Objects: 500, Events: 1, Restart: true})
			if err != nil {
				t.Fatal(err)
			}
			if found.Lists > 1 { // the question for the version, which this server refuses
				t.Errorf("the second life has listed %d times", found.Lists)
			}
			if found.ChangeTime <= 0 {
				t.Error("the second life was not told of the change")
			}
		})
	}
}

// BenchmarkRow31_Restart is what a start costs that finds everything as it was.
func BenchmarkRow31_Restart(b *testing.B) {
	for _, form := range forms {
		b.Run("encoding="+form, func(b *testing.B) {
			s := scenario{Form: form, Objects: listed(b), Events: 1, Restart: true}
			for _, side := range []string{ours, incumbent} {
				b.Run(side, func(b *testing.B) {
					s.Side = side
					for range b.N {
						found, err := playRestart(b, s)
						if err != nil {
							b.Fatal(err)
						}
						b.ReportMetric(each(found.ListCPU, s.Objects), "cpu-ns/op")
						b.ReportMetric(each(found.EndCPU, s.Objects), "end-cpu-ns/op")
						b.ReportMetric(found.StartTime.Seconds(), "start-s")
						if side == ours {
							b.ReportMetric(found.ChangeTime.Seconds(), "first-change-s")
						}
						b.ReportMetric(float64(found.Heap-found.BaseHeap)/float64(s.Objects), "live-B/item")
					}
					b.ReportMetric(0, "ns/op")
				})
			}
		})
	}
}
