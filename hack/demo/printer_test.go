package main

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"
)

var update = flag.Bool("update", false, "write the golden files again")

// rendered is the demo's output for the recorded log.
func rendered(t *testing.T, colours bool) string {
	t.Helper()
	log, err := os.ReadFile("testdata/operator.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := newPrinter(&out, colours)
	for line := range bytes.Lines(log) {
		e, err := parse(line)
		if err != nil {
			t.Fatal(err)
		}
		e.Time = e.Time.In(time.UTC)
		p.line(e)
	}
	return out.String()
}

func TestLinesAreReadable(t *testing.T) {
	for name, colours := range map[string]bool{"plain": false, "colours": true} {
		got, golden := rendered(t, colours), "testdata/"+name+".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant, as in %s,\n%s", name, got, golden, want)
		}
	}
}

func TestOnlyATerminalGetsColours(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	device, err := os.Open(os.DevNull) // a character device, as a terminal is
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = device.Close() }()
	for _, c := range []struct {
		name string
		out  *os.File
		env  map[string]string
		want bool
	}{
		{"terminal", device, nil, true},
		{"file", file, nil, false},
		{"a user who wants none", device, map[string]string{"NO_COLOR": "1"}, false},
		{"a terminal that has none", device, map[string]string{"TERM": "dumb"}, false},
	} {
		if got := takesColours(c.out, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%s: colours %t, want %t", c.name, got, c.want)
		}
	}
}

// FuzzLine gives the printer strange lines. No text from a cluster may send commands to the
// terminal.
func FuzzLine(f *testing.F) {
	log, err := os.ReadFile("testdata/operator.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(log) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var out bytes.Buffer
		p := newPrinter(&out, false)
		e, err := parse(line)
		if err != nil {
			p.raw(string(line))
		} else {
			p.line(e)
		}
		for _, r := range strings.ReplaceAll(out.String(), "\n", "") {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q is shown as %q", line, out.String())
			}
		}
	})
}
