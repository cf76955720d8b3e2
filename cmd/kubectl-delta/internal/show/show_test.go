package show_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"

	"go.uber.org/goleak"
	"sigs.k8s.io/yaml"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canary has what a terminal might obey: an escape sequence, the same as one C1 character, a
// bell, a deletion, a turn of direction, a broken byte and an end of line.
const canary = "a\x1b[31mred\u009b31m\a\x7f\u202etxt\xff\r\nb"

func printed(look show.Look, do func(*show.Printer)) string {
	var b bytes.Buffer
	p := show.New(&b, look)
	do(p)
	return b.String()
}

func checkHarmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%q has the character %U", text, r)
		}
	}
}

func TestNothingThatATerminalObeysIsWritten(t *testing.T) {
	look := show.Look{Width: 40}
	out := printed(look, func(p *show.Printer) {
		p.Line(show.In(show.Bad, canary))
		p.Sentence("  ", show.Text(canary+" "+canary), show.In(show.Bold, canary))
		p.Table([]string{"NAME", canary}, [][]show.Span{{show.Text(canary), show.Text(canary)}})
	})
	checkHarmless(t, out)
	if want := `a\x1b[31mred\u009b31m\a\x7f\u202etxt\xff\r\nb`; !strings.HasPrefix(out, want+"\n") {
		t.Errorf("the first line is %q, want %q", out, want)
	}
}

func TestColoursSurroundWhatIsClean(t *testing.T) {
	out := printed(show.Look{Colours: true, Width: 80}, func(p *show.Printer) {
		p.Line(show.In(show.Bad, "x\x1by"), show.Text(" z"))
	})
	if want := "\x1b[31mx\\x1by\x1b[0m z\n"; out != want {
		t.Errorf("printed %q, want %q", out, want)
	}
}

func TestNoColoursWithoutATerminal(t *testing.T) {
	if look := show.LookOf(&bytes.Buffer{}, func(string) string { return "" }); look.Colours || look.Cut {
		t.Errorf("a buffer gets %+v, want neither colours nor cuts", look)
	}
}

func TestDocumentsKeepTheirMeaning(t *testing.T) {
	document, err := json.Marshal(map[string]any{"name": "a\x1b[31m\u009b\x7f\u202e😀\U000E0001 b", "n": 1.5})
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(document, &want); err != nil {
		t.Fatal(err)
	}
	for name, encode := range map[string]func([]byte) (show.Escaped, error){
		"JSON": show.JSON, "JSONLine": show.JSONLine, "YAML": show.YAML,
	} {
		out, err := encode(document)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkHarmless(t, string(out))
		var got any
		decode := json.Unmarshal
		if name == "YAML" {
			decode = func(in []byte, into any) error { return yaml.Unmarshal(in, into) }
		}
		if err := decode(out, &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads as %v, want %v", name, got, want)
		}
	}
}

func TestHarmlessDocumentsBecomeYAML(t *testing.T) {
	out, err := show.YAML([]byte(`{"a": {"b": "c d", "text": "x\ny"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := "a:\n  b: c d\n  text: |-\n    x\n    y\n"; string(out) != want {
		t.Errorf("got %q, want %q", out, want)
	}
	if _, err := show.YAML([]byte(`{`)); err == nil {
		t.Error("half a document became YAML")
	}
}

func TestTablesAreAligned(t *testing.T) {
	rows := [][]show.Span{
		{show.Text("web"), show.Text("12"), show.Text("a long remark that does not fit")},
		{show.Text("website"), show.Text("3")},
	}
	head := []string{"NAME", "N", "REMARK"}
	got := printed(show.Look{Width: 30}, func(p *show.Printer) { p.Table(head, rows) })
	want := "NAME     N   REMARK\nweb      12  a long remark that does not fit\nwebsite  3\n"
	if got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	got = printed(show.Look{Width: 30, Cut: true}, func(p *show.Printer) { p.Table(head, rows) })
	if !strings.Contains(got, "web      12  a long remark th…\n") {
		t.Errorf("printed\n%s\nwant the last column cut", got)
	}
}

func TestSentencesAreWrapped(t *testing.T) {
	got := printed(show.Look{Width: 20, Colours: true}, func(p *show.Printer) {
		p.Sentence("  ", show.In(show.Bold, "one two"), show.Text(", three  four five six"))
	})
	bold := func(s string) string { return "\x1b[1m" + s + "\x1b[0m" }
	if want := "  " + bold("one") + " " + bold("two") + ", three\n    four five six\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}

func TestWords(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for got, want := range map[string]string{
		show.Age(now, now.Add(-90*time.Second)):  "90s",
		show.Age(now, time.Time{}):               "-",
		show.Age(now, now.Add(time.Hour)):        "0s",
		show.Ago(now, time.Time{}):               "never",
		show.Ago(now, now.Add(-3*time.Hour)):     "3h ago",
		show.Until(now, now.Add(10*time.Minute)): "in 10m",
		show.Until(now, now):                     "now",
		show.Seconds(0.0912):                     "91.2ms",
		show.Seconds(2.345):                      "2.35s",
		show.Seconds(130):                        "2m10s",
		show.Bytes(1023):                         "1023 B",
		show.Bytes(5 << 20):                      "5.0 MiB",
		show.Count(1, "kind"):                    "1 kind",
		show.Count(2, "retry"):                   "2 retries",
		show.Shorten("a name that is long", 7):   "a name…",
		show.Shorten("\x1b\x1b", 5):              `\x1b…`,
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhatIsNotSeenIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"kube\u3164":                            `kube\u3164`,
		"\u115f\u1160\uffa0\u2800":              `\u115f\u1160\uffa0\u2800`,
		"a\u202eb":                              `a\u202eb`,
		"Việt Nam, 日本, é, e\u0301":              "Việt Nam, 日本, é, e\u0301",
		"o" + strings.Repeat("\u0336", 5) + "k": "o\u0336\u0336\u0336" + `\u0336\u0336` + "k",
	} {
		if got := show.Clean(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add(canary)
	f.Add("plain")
	f.Fuzz(func(t *testing.T, text string) {
		out := show.Clean(text)
		if strings.ContainsRune(out, '\n') {
			t.Errorf("%q has two lines", out)
		}
		checkHarmless(t, out)
		if again := show.Clean(out); again != out {
			t.Errorf("%q is cleaned once more to %q", out, again)
		}
	})
}
