package canary

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// hunt has the canaries, and everything in which there must be none.
type hunt struct {
	mu       sync.Mutex // guards everything below
	canaries []canary
	outputs  map[string]*bytes.Buffer // by their names
}

// canary is a word that must not be seen.
type canary struct{ place, word string }

// spelling is one of the ways in which a word can be seen.
type spelling struct {
	name string
	text []byte
}

func newHunt() *hunt { return &hunt{outputs: map[string]*bytes.Buffer{}} }

// mark is what all canaries begin with, and nothing else has. So one search finds all of them, and cut
// ones, too.
const mark = "qX9Zvk7W"

// plant returns a new canary for a place.
func (h *hunt) plant(place string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	word := mark + rand.Text()[:16]
	h.canaries = append(h.canaries, canary{place, word})
	return word
}

// collect adds to an output.
func (h *hunt) collect(output string, text []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.outputs[output] == nil {
		h.outputs[output] = &bytes.Buffer{}
	}
	h.outputs[output].Write(text)
	h.outputs[output].WriteByte('\n') // two pieces do not make a word
}

// spellings are a word as it is, and as programs encode bytes. An escape or a quotation leaves the
// letters and digits of a word as they are.
func spellings(word string) []spelling {
	all := []spelling{
		{"as it is", []byte(word)},
		{"in upper case", []byte(strings.ToUpper(word))},
		{"in lower case", []byte(strings.ToLower(word))},
		{"hex", []byte(hex.EncodeToString([]byte(word)))},
		{"upper hex", []byte(strings.ToUpper(hex.EncodeToString([]byte(word))))},
		{"decimal", []byte(each(word, "%d", " "))},
		{"a JSON list", []byte(each(word, "%d", ","))},
		{"Go bytes", []byte(each(word, "0x%x", ", "))},
		{"spaced hex", []byte(each(word, "%x", " "))},
		{"escapes", []byte(each(word, `\x%x`, ""))},
		{"Unicode escapes", []byte(each(word, `\u%04x`, ""))},
		{"percent", []byte(each(word, "%%%X", ""))},
	}
	for i, once := range inBase64(word) {
		all = append(all, spelling{fmt.Sprintf("base64 at %d", i), []byte(once)},
			spelling{fmt.Sprintf("hex of base64 at %d", i), []byte(hex.EncodeToString([]byte(once)))})
		for j, twice := range inBase64(once) {
			all = append(all, spelling{fmt.Sprintf("base64 at %d of base64 at %d", j, i), []byte(twice)})
		}
	}
	for i, once := range inBase64(hex.EncodeToString([]byte(word))) {
		all = append(all, spelling{fmt.Sprintf("base64 at %d of hex", i), []byte(once)})
	}
	return all
}

func each(word, format, between string) string {
	parts := make([]string, len(word))
	for i := range word {
		parts[i] = fmt.Sprintf(format, word[i])
	}
	return strings.Join(parts, between)
}

// inBase64 is what base64 makes of a word within something longer: it depends on whether the word
// begins at the first, second or third byte of three. Only what follows from the word counts.
func inBase64(word string) (all [3]string) {
	for before := range all {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", before) + word + "  "))
		first, end := (before*8+5)/6, (before+len(word))*8/6
		all[before] = text[first:end]
	}
	return all
}

// leaks says which canary was seen where.
func (h *hunt) leaks() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, output := range slices.Sorted(maps.Keys(h.outputs)) {
		text := h.outputs[output].Bytes()
		for i, spelt := range spellings(mark) {
			if !bytes.Contains(text, spelt.text) {
				continue
			}
			for _, place := range h.places(i, text, spelt.text) {
				all = append(all, fmt.Sprintf("%s is in %s, spelt %s:\n…%q…", place.name, output, spelt.name, place.text))
			}
		}
	}
	return all
}

// places returns whose canaries are in the text in a certain spelling, each once, with what is around.
func (h *hunt) places(spelt int, text, marked []byte) (all []spelling) {
	known := map[string]string{}
	for _, c := range h.canaries {
		known[string(spellings(c.word)[spelt].text)] = c.place
	}
	seen := map[string]bool{}
	const most = 1000 // a leak is seen again and again
	for from, n := 0, 0; n < most; n++ {
		at := bytes.Index(text[from:], marked)
		if at < 0 {
			break
		}
		at += from
		from = at + len(marked)
		name := "a part of a canary"
		for full, place := range known {
			if bytes.HasPrefix(text[at:], []byte(full)) {
				name = place
			}
		}
		if !seen[name] {
			seen[name] = true
			all = append(all, spelling{name, text[max(0, at-200):min(len(text), from+60)]})
		}
	}
	return all
}

// judge fails for each leak, and for each output that does not show what it is for: an output that is
// empty leaks nothing.
func (h *hunt) judge(t *testing.T) {
	t.Helper()
	const most = 30
	leaks := h.leaks()
	for i, leak := range leaks {
		if i == most {
			t.Errorf("and %d more", len(leaks)-most)
			break
		}
		t.Error(leak)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var total int
	for _, output := range slices.Sorted(maps.Keys(h.outputs)) {
		text := h.outputs[output].Bytes()
		total += len(text)
		for _, wanted := range shows(output) {
			if !bytes.Contains(text, []byte(wanted)) {
				t.Errorf("%s has %d bytes and not once %q, so it was not hunted through: %.300q", output, len(text), wanted, text)
			}
		}
	}
	for name := range shown {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(h.outputs)), func(output string) bool { return strings.HasPrefix(output, name) }) {
			t.Errorf("there was no output %q to be hunted through", name)
		}
	}
	t.Logf("%d canaries, %d outputs, %d bytes", len(h.canaries), len(h.outputs), total)
}

// TestTheHuntFinds plants a leak in each spelling, and in each way in which programs print bytes.
func TestTheHuntFinds(t *testing.T) {
	h := newHunt()
	word := h.plant("the place")
	for _, spelt := range spellings(word) {
		checkFound(t, word, h.canaries, []byte("before"+string(spelt.text)+"after"))
	}
	text := "x\"\\\n" + word + "\t"
	for _, verb := range []string{"%s", "%q", "%v", "%+v", "%#v", "%x", "%X", "% x", "%d", "%+q"} {
		checkFound(t, word, h.canaries, fmt.Appendf(nil, verb, []byte(text)))
	}
	for before := range 6 {
		once := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + text))
		for again := range 6 {
			checkFound(t, word, h.canaries, []byte(base64.URLEncoding.EncodeToString([]byte(strings.Repeat("x", again)+once))))
		}
		checkFound(t, word, h.canaries, []byte(once))
	}
	h.collect("an output", []byte("nothing"))
	h.collect("an output", []byte(word[:5]))
	h.collect("an output", []byte(word[5:]))
	if found := h.leaks(); len(found) > 0 {
		t.Errorf("it finds what is not there: %s", found)
	}
}

func checkFound(t *testing.T, word string, planted []canary, text []byte) {
	t.Helper()
	h := newHunt()
	h.canaries = planted
	h.collect("the output", text)
	found := h.leaks()
	if len(found) == 0 || !strings.Contains(found[0], "the place is in the output") {
		t.Errorf("%s is not found in %q: %s", word, text, found)
	}
}
