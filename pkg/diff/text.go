package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// A text for people has to fit into a line of a log, and into an Event, whose message the
// API server cuts off at 1,024 bytes.
const maxText = 1000

// String is one line, of about a kilobyte at most:
//
//	spec.replicas: 3 → 5, +metadata.labels[app]="web", -spec.template.spec.containers[name="side"]
func (d *Diff) String() string {
	r := d.result()
	var b strings.Builder
	switch {
	case r.err != nil:
		return path.Cut("unknown changes: "+r.err.Error(), maxText)
	case len(r.edits) == 0 && d.before != nil && d.after != nil && d.unseen():
		return "no changes of the metadata; what else changed is not known"
	case len(r.edits) == 0:
		return "no changes"
	case d.after == nil:
		return "deleted"
	case d.before == nil:
		b.WriteString("created: ")
	}
	for i := range r.edits {
		text := r.edits[i].text()
		if i > 0 {
			text = ", " + text
		}
		if b.Len()+len(text) > maxText-len(", … and more than 1000 more") {
			b.WriteString(", … and " + r.rest(i) + " more")
			return b.String()
		}
		b.WriteString(text)
	}
	if r.truncated {
		b.WriteString(", … and more")
	}
	return b.String()
}

// rest says how many edits there are besides the first ones.
func (f *findings) rest(shown int) string {
	if f.truncated {
		return fmt.Sprintf("more than %d", len(f.edits)-shown)
	}
	return strconv.Itoa(len(f.edits) - shown)
}

// Format prints [Diff.String] whatever the verb, so that no verb prints the objects.
func (d *Diff) Format(f fmt.State, _ rune) { fmt.Fprint(f, d.String()) }

// MarshalText is [Diff.String], for logs in JSON.
func (d *Diff) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the edit as [Diff.String] shows it.
func (e Edit) String() string {
	inner := e.edit()
	return inner.text()
}

// edit is what the Edit was made of, or as good.
func (e Edit) edit() edit {
	inner := edit{}
	var err error
	if inner.path, err = path.Parse(e.Path); err != nil {
		inner.path = path.Path{Steps: []path.Step{{Kind: path.Named, Name: e.Path}}} // not one of ours
	}
	if !e.Added {
		inner.before = value.NewValueInterface(e.Before)
	}
	if !e.Removed || e.Added {
		inner.after = value.NewValueInterface(e.After)
	}
	return inner
}

func (e *edit) text() string {
	field := path.Cut(e.path.String(), path.MaxPath)
	switch {
	case e.added():
		if n := len(e.path.Steps); n > 0 && e.path.Steps[n-1].Kind == path.Member {
			return "+" + field // which says it all
		}
		return "+" + field + "=" + valueText(e.after)
	case e.removed():
		return "-" + field
	default:
		return field + ": " + valueText(e.before) + " → " + valueText(e.after)
	}
}

// valueText is at most maxValue bytes of a value's JSON. Its cost does not grow with the
// value, except with the number of keys of a map.
func valueText(v value.Value) string {
	if v.IsString() && v.AsString() == hidden {
		return hidden
	}
	p := printer{limit: path.MaxValue}
	p.value(v)
	return path.Cut(p.String(), path.MaxValue)
}

// printer writes JSON until it has more than its limit.
type printer struct {
	strings.Builder
	limit int
}

func (p *printer) full() bool { return p.Len() > p.limit }

func (p *printer) value(v value.Value) {
	switch {
	case p.full():
	case v.IsMap():
		p.object(v.AsMap())
	case v.IsList():
		p.array(v.AsList())
	case v.IsString():
		p.string(v.AsString())
	default:
		p.WriteString(path.ScalarText(v))
	}
}

func (p *printer) string(s string) {
	// Whatever is escaped becomes longer, so this much is always enough.
	p.WriteString(jsonString(s[:min(len(s), p.limit+1)]))
}

func (p *printer) array(list value.List) {
	p.WriteByte('[')
	for i := 0; i < list.Length() && !p.full(); i++ {
		if i > 0 {
			p.WriteByte(',')
		}
		p.value(list.At(i))
	}
	p.WriteByte(']')
}

func (p *printer) object(m value.Map) {
	keys := map[string]struct{}{}
	m.Iterate(func(key string, _ value.Value) bool {
		keys[key] = struct{}{}
		return true
	})
	p.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(keys)) {
		if p.full() {
			break
		}
		if i > 0 {
			p.WriteByte(',')
		}
		p.string(key)
		p.WriteByte(':')
		if v := path.FieldOf(m, key); v != nil {
			p.value(v)
		}
	}
	p.WriteByte('}')
}

// jsonString writes a string as JSON. Bytes that are no UTF-8 are replaced.
func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(fmt.Sprintf("BUG: a string is not JSON: %v", err))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
