package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shown is an example of output with everything that a picture has to handle.
func shown(p *printer) {
	p.title("A title")
	p.command(`kubectl patch '{"a":"<b>&"}'`)
	p.success("it is as it should be", 250*time.Millisecond)
	p.said("  NAME   READY\n  blog   " + strings.Repeat("long ", 60))
}

func TestPictureIsWhatIsShown(t *testing.T) {
	var out, recorded bytes.Buffer
	p := newPrinter(&out, false)
	p.note("before")
	p.recordTo(&recorded)
	shown(p)
	p.recordTo(io.Discard)
	p.note("after")

	path := filepath.Join(t.TempDir(), "story")
	if err := record(path, recorded.String()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSuffix(strings.TrimPrefix(out.String(), "   before\n\n"), "   after\n"); string(text) != want {
		t.Errorf("the text is\n%q\nwant what is shown between,\n%q", text, want)
	}
	got, err := os.ReadFile(path + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/picture.svg"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the picture is\n%s\nwant, as in %s,\n%s", got, golden, want)
	}
}

func TestColumnsAreKept(t *testing.T) {
	spans := spansOf("ab\x1b[1m  cd\x1b[0m e" + strings.Repeat("x", 200))
	if len(spans) != 3 || spans[1] != (span{4, bold, "cd"}) || spans[2].column != 7 || spans[2].shade != "0" {
		t.Fatalf("got %+v", spans)
	}
	if end := spans[2].column + len([]rune(spans[2].text)); end != mostColumns {
		t.Errorf("a long line ends at column %d, want %d", end, mostColumns)
	}
	if spans := spansOf(strings.Repeat("x", mostColumns) + "\x1b[1mmore\x1b[0m"); len(spans) != 1 {
		t.Errorf("what is beyond the edge is drawn: %+v", spans)
	}
}
