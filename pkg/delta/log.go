package delta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
)

// Loggers print what they are given field by field. A Change and a Delta contain whole
// objects, and those may be Secrets. So these types decide what a log shows: which object it
// is and what happened to it, and nothing of its content. MarshalJSON is for encoders of
// JSON, slog's and zap's among them, and Format for everything that prints.

// shown is what is shown of a value, field by field. A zero field is left out.
type shown []slog.Attr

func (s shown) text(key, v string) shown {
	if v == "" {
		return s
	}
	return append(s, slog.String(key, v))
}

func (s shown) count(key string, n int) shown {
	if n == 0 {
		return s
	}
	return append(s, slog.Int(key, n))
}

// marks adds those that are true.
func (s shown) marks(all ...slog.Attr) shown {
	for _, mark := range all {
		if mark.Value.Bool() {
			s = append(s, mark)
		}
	}
	return s
}

func (s shown) object(key Key) shown {
	return s.text("namespace", key.Namespace).text("name", key.Name)
}

// MarshalJSON writes the fields in their order.
func (s shown) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, attr := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := json.Marshal(attr.Value.Any())
		if err != nil {
			return nil, fmt.Errorf("marshal %s for a log: %w", attr.Key, err)
		}
		b.WriteString(strconv.Quote(attr.Key) + ":") // a word of ours
		b.Write(v)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (c Change) shown() shown {
	var cause, op string
	if c.Cause != 0 {
		cause = c.Cause.String()
	}
	if c.Op != 0 {
		op = c.Op.String()
	}
	s := shown{}.text("cause", cause).text("kind", c.Kind.Kind).object(c.Key).text("op", op).count("deltas", c.Deltas)
	return s.marks(slog.Bool("missed", c.Missed), slog.Bool("relisted", c.Relisted)).text("manager", c.Manager())
}

// MarshalJSON shows why, which object, what happened to it and who did it. It never shows
// the objects.
func (c Change) MarshalJSON() ([]byte, error) { return c.shown().MarshalJSON() }

// Format prints [Change.String] whatever the verb, so that no verb prints the objects.
func (c Change) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

func (c Changes) shown() shown {
	s := shown{slog.Any("changes", append([]Change{}, c.list...)), slog.Int("attempt", c.attempt), slog.Bool("complete", c.complete)}
	return s.text("incomplete", c.Incomplete())
}

// MarshalJSON shows each change as [Change.MarshalJSON] does, and whether these are all.
func (c Changes) MarshalJSON() ([]byte, error) { return c.shown().MarshalJSON() }

// LogValue has loggers that prefer a String to JSON, as zap does, show what MarshalJSON does.
func (c Changes) LogValue() slog.Value { return slog.GroupValue(c.shown()...) }

// Format prints [Changes.String] whatever the verb, so that no verb prints the objects.
func (c Changes) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

func (d *Delta[T]) shown() shown {
	return shown{}.text("op", d.Op.String()).object(d.Key).text("version", d.Version).
		marks(slog.Bool("initial", d.Initial), slog.Bool("missed", d.Missed), slog.Bool("relisted", d.Relisted))
}

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
func (d Delta[T]) MarshalJSON() ([]byte, error) { return d.shown().MarshalJSON() }

// Format prints [Delta.String] whatever the verb, so that no verb prints the objects.
func (d Delta[T]) Format(f fmt.State, _ rune) { fmt.Fprint(f, d.String()) }
