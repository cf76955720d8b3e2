package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// streams serves one text for each connection, and interrupts the command instead of the last.
type streams struct {
	texts  []string
	after  []string // the ids that the connections began after
	cancel context.CancelFunc
}

func (s *streams) serve(w http.ResponseWriter, r *http.Request) {
	n := len(s.after)
	s.after = append(s.after, r.Header.Get("Last-Event-Id"))
	if n == len(s.texts)-1 {
		s.cancel()
		<-r.Context().Done() // an answer could come before the command sees that it is interrupted
		return
	}
	fmt.Fprint(w, s.texts[n])
}

func sent(t *testing.T, d v1.Delta) string {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("id: %d\nevent: delta\ndata: %s\n\n", d.ID, data)
}

// watched runs watch over streams, whose last is never sent.
func watched(t *testing.T, s *streams, args ...string) (ran, *inspector) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.cancel = cancel
	i := healthy()
	i.events = s.serve
	base := inspect(t, i)
	got := runs(ctx, append(append([]string{"watch"}, args...), "--url", base)...)
	got.out, got.errOut = strings.ReplaceAll(got.out, base, "URL"), strings.ReplaceAll(got.errOut, base, "URL")
	return got, i
}

func TestWatchConnectsAgainAndSaysSo(t *testing.T) {
	list := deltas().Items
	s := &streams{texts: []string{
		": heartbeat\n\n" + sent(t, list[2]) + sent(t, list[1]),
		"event: lost\ndata: {\"count\": 12, \"restarted\": true}\n\n" + sent(t, list[0]) + "event: later\ndata: what is this\n\n",
		"",
	}}
	got, i := watched(t, s, "site", "-n", "demo", "--op", "Updated", "--name", "blog", "--manager", "me")
	if got.code != exitFine {
		t.Errorf("it ended with %d", got.code)
	}
	golden(t, "watch", got.out+"--- standard error\n"+got.errOut)
	if want := "[ 70 77]"; fmt.Sprint(s.after) != want {
		t.Errorf("it began after %v, want %s", s.after, want)
	}
	want := "GET /delta/v1/deltas/stream?kind=site&manager=me&name=blog&namespace=demo&op=Updated "
	for _, asked := range i.last(3) {
		if asked != want {
			t.Errorf("it asked for %s, want %s", asked, want)
		}
	}
}

func TestWatchShowsEdits(t *testing.T) {
	s := &streams{texts: []string{sent(t, deltas().Items[0]), ""}}
	got, _ := watched(t, s, "--diff")
	golden(t, "watch-diff", got.out)
}

func TestWatchWritesDocuments(t *testing.T) {
	text := sent(t, deltas().Items[0]) + sent(t, deltas().Items[1])
	got, _ := watched(t, &streams{texts: []string{text, ""}}, "-o", "json")
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	for n, line := range lines {
		var d v1.Delta
		if err := json.Unmarshal([]byte(line), &d); err != nil || d.ID != deltas().Items[n].ID {
			t.Errorf("line %d is %s (%v)", n, line, err)
		}
	}
	got, _ = watched(t, &streams{texts: []string{text, ""}}, "-o", "yaml")
	if n := strings.Count(got.out, "---\n"); n != 2 || len(lines) != 2 {
		t.Errorf("it wrote %d documents and %d lines, want 2 each", n, len(lines))
	}
}

func TestWatchGivesUpWhereItIsNotWanted(t *testing.T) {
	n := 0
	i := healthy()
	i.events = func(w http.ResponseWriter, _ *http.Request) {
		if n++; n > 1 {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"status": 403, "message": "no longer"}`)
		}
	}
	got := runs(t.Context(), "watch", "--url", inspect(t, i))
	if got.code != exitError || !strings.Contains(got.errOut, "no longer") || n != 2 {
		t.Errorf("after %d streams it ended with %d and said %q", n, got.code, got.errOut)
	}
}

func TestWatchDoesNotWaitForWhatWasNeverThere(t *testing.T) {
	got := runs(t.Context(), "watch", "--url", "http://127.0.0.1:1")
	if got.code != exitError || !strings.Contains(got.errOut, "nothing listens there") {
		t.Errorf("it ended with %d and said %q", got.code, got.errOut)
	}
}
