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

func printed(do func(*show.Printer)) string {
	var b bytes.Buffer
	do(show.New(&b))
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
	out := printed(func(p *show.Printer) {
		p.Line(canary)
		p.Sentence("  ", canary+" "+canary+canary)
		p.Table([]string{"NAME", canary}, [][]string{{canary, canary}})
	})
	checkHarmless(t, out)
	if want := `a\x1b[31mred\u009b31m\a\x7f\u202etxt\xff\r\nb`; !strings.HasPrefix(out, want+"\n") {
		t.Errorf("the first line is %q, want %q", out, want)
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
	rows := [][]string{{"web", "12", "a long remark that does not fit"}, {"website", "3"}, {"é\t", "", ""}}
	got := printed(func(p *show.Printer) { p.Table([]string{"NAME", "N", "REMARK"}, rows) })
	want := "NAME     N   REMARK\nweb      12  a long remark that does not fit\nwebsite  3\né\\t\n"
	if got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestSentencesAreWrapped(t *testing.T) {
	long := strings.Repeat("x", 86)
	got := printed(func(p *show.Printer) { p.Sentence("  ", long+" one  two, three four") })
	if want := "  " + long + " one two,\n    three four\n"; got != want {
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
		show.Count(2, "call"):                    "2 calls",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestWhatIsNotSeenIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"kube\u3164":               `kube\u3164`,
		"\u115f\u1160\uffa0\u2800": `\u115f\u1160\uffa0\u2800`,
		"a\u202eb":                 `a\u202eb`,
		"Việt Nam, 日本, é, e\u0301": "Việt Nam, 日本, é, e\u0301",
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
