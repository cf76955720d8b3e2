package delta

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
)

// Loggers print what they are given field by field. A Change and a Delta contain whole
// objects, and those may be Secrets. So these types decide what a log shows: which object it
// is and what happened to it, and nothing of its content. MarshalJSON is for encoders of
// JSON, slog's and zap's among them, and Format for everything that prints.

// MarshalJSON shows why, which object, what happened to it and who did it. It never shows
// the objects.
func (c Change) MarshalJSON() ([]byte, error) {
	shown := struct {
		Cause     string `json:"cause,omitempty"`
		Kind      string `json:"kind,omitempty"`
		Namespace string `json:"namespace,omitempty"`
		Name      string `json:"name,omitempty"`
		Op        string `json:"op,omitempty"`
		Deltas    int    `json:"deltas,omitempty"`
		Missed    bool   `json:"missed,omitempty"`
		Relisted  bool   `json:"relisted,omitempty"`
		Manager   string `json:"manager,omitempty"`
	}{
		Kind: c.Kind.Kind, Namespace: c.Key.Namespace, Name: c.Key.Name,
		Deltas: c.Deltas, Missed: c.Missed, Relisted: c.Relisted, Manager: c.Manager(),
	}
	if c.Cause != 0 {
		shown.Cause = c.Cause.String()
	}
	if c.Op != 0 {
		shown.Op = c.Op.String()
	}
	return json.Marshal(shown)
}

// Format prints [Change.String] whatever the verb, so that no verb prints the objects.
func (c Change) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// MarshalJSON shows each change as [Change.MarshalJSON] does, and whether these are all.
func (c Changes) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Changes    []Change `json:"changes"`
		Attempt    int      `json:"attempt"`
		Complete   bool     `json:"complete"`
		Incomplete string   `json:"incomplete,omitempty"`
	}{append([]Change{}, c.list...), c.attempt, c.complete, c.Incomplete()})
}

// LogValue has loggers that prefer a String to JSON, as zap does, show what MarshalJSON does.
func (c Changes) LogValue() slog.Value {
	shown := []slog.Attr{slog.Any("changes", append([]Change{}, c.list...)), slog.Int("attempt", c.attempt), slog.Bool("complete", c.complete)}
	if !c.complete {
		shown = append(shown, slog.String("incomplete", c.Incomplete()))
	}
	return slog.GroupValue(shown...)
}

// Format prints [Changes.String] whatever the verb, so that no verb prints the objects.
func (c Changes) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// String is a line for a log: what happened to which object.
func (d Delta[T]) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", d.Op, d.Key)
	if d.Missed {
		b.WriteString(" unnoticed")
	}
	return b.String()
}

// MarshalJSON shows which object it is about and what happened to it. It never shows the
// objects.
func (d Delta[T]) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Op        string `json:"op"`
		Namespace string `json:"namespace,omitempty"`
		Name      string `json:"name,omitempty"`
		Version   string `json:"version,omitempty"`
		Initial   bool   `json:"initial,omitempty"`
		Missed    bool   `json:"missed,omitempty"`
		Relisted  bool   `json:"relisted,omitempty"`
	}{d.Op.String(), d.Key.Namespace, d.Key.Name, d.Version, d.Initial, d.Missed, d.Relisted})
}

// Format prints [Delta.String] whatever the verb, so that no verb prints the objects.
func (d Delta[T]) Format(f fmt.State, _ rune) { fmt.Fprint(f, d.String()) }
