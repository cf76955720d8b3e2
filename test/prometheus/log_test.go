//go:build observability

package prometheus

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// logged is a line of the operator's log.
type logged struct {
	Level   string    `json:"level"`
	Message string    `json:"msg"`
	At      time.Time `json:"ts"`
	Kind    string    `json:"kind"`
	// Of a kind that lost its server.
	Since   time.Time `json:"since"`
	Shows   string    `json:"shows"`
	NextTry time.Time `json:"nextTry"`
	Reason  string    `json:"reason"`
	// Of a kind that has it again.
	WasDisconnectedSince time.Time `json:"wasDisconnectedSince"`
	Version              string    `json:"version"`

	text string
}

var version = regexp.MustCompile(`^version [0-9]+$`)

// log returns the lines that the operator has written so far.
func (o *onlooker) log(t *testing.T) (all []logged) {
	t.Helper()
	text, err := os.ReadFile(o.logs[0])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasSuffix(line, "\n") {
			break // the operator is writing it
		}
		one := logged{text: line}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("read the line %q of the log: %v", line, err)
		}
		all = append(all, one)
	}
	return all
}

// lost returns an error unless the outage has brought these lines: one for each kind, which says
// since when it is disconnected, which version readers see, when it tries again, and why; and one for each
// probe that failed, which controller-runtime writes.
func (o *outage) lost(all []logged) error {
	said, failed := map[string]int{}, 0
	for _, l := range all[o.lines:] {
		switch since := o.disconnected[l.Kind]; {
		case l.Message == "healthz check failed":
			failed++
		case !strings.HasPrefix(l.Message, "kind is disconnected: ") || l.Level != "info":
			return fmt.Errorf("the outage has brought the line %s", l.text)
		case !l.Since.Equal(since.Truncate(time.Second)) || !version.MatchString(l.Shows) || l.NextTry.Before(l.At) || !strings.Contains(l.Reason, "connection refused"):
			return fmt.Errorf("%s is disconnected since %v, and the log has the line %s", l.Kind, since, l.text)
		default:
			said[l.Kind]++
		}
	}
	if !maps.Equal(said, o.once()) || failed != o.probes {
		return fmt.Errorf("the log says of kinds that they are disconnected so many times: %v; and it has %d of %d probes that failed", said, failed, o.probes)
	}
	return nil
}

// heard returns an error unless there is one line more for each kind, and no other.
func (o *outage) heard(all []logged) error {
	said := map[string]int{}
	err := o.lost(slices.DeleteFunc(all, func(l logged) bool {
		again := l.Message == "kind hears the server again" && l.Level == "info" && l.Version != "" &&
			l.WasDisconnectedSince.Equal(o.disconnected[l.Kind].Truncate(time.Second))
		if again {
			said[l.Kind]++
		}
		return again
	}))
	if err == nil && !maps.Equal(said, o.once()) {
		err = fmt.Errorf("the log says of kinds that they hear the server again so many times: %v", said)
	}
	return err
}

// once has each kind once.
func (o *outage) once() map[string]int {
	each := map[string]int{}
	for _, kind := range o.kinds {
		each[kind] = 1
	}
	return each
}
