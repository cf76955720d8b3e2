package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// inPieces reads one piece at a time, and then says that this is too far.
type inPieces struct{ left []string }

var errTooFar = errors.New("nobody needs what comes now")

func (p *inPieces) Read(into []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, errTooFar
	}
	n := copy(into, p.left[0])
	if p.left[0] = p.left[0][n:]; p.left[0] == "" {
		p.left = p.left[1:]
	}
	return n, nil
}

// event is one that says what the data of a ConfigMap are.
func event(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"text":` + string(data) + `}}}`
}

func textOf(t *testing.T, w *jsonWatch) string {
	t.Helper()
	what, got, err := w.next()
	if err != nil || got.err != nil || what != watch.Added {
		t.Fatalf("%q: %v %v", what, err, got.err)
	}
	return got.obj.(*corev1.ConfigMap).Data["text"]
}

// TestAnEventIsThereWhenItHasCome has more come with the end of an event than its line.
func TestAnEventIsThereWhenItHasCome(t *testing.T) {
	for _, text := range []string{"plain", `"}`, `\`, `\"}{[`, "\n"} {
		all := event(text)
		for name, pieces := range map[string][]string{
			"its line":                      {all + "\n"},
			"no line":                       {all},
			"half of the next":              {all + all[:len(all)/2]},
			"a blank and half of the next":  {all + " " + all[:10]},
			"its half, and then some":       {all[:len(all)/2], all[len(all)/2:] + "{"},
			"one byte at a time":            strings.Split(all, ""),
			"its members in another order":  {strings.Replace(all, `{"type":"ADDED",`, `{"more":[{}], "type" : "ADDED",`, 1) + `{"type`},
			"each member on a line, halved": {strings.ReplaceAll(all, `":{"`, "\":\n{\n\"")[:60], strings.ReplaceAll(all, `":{"`, "\":\n{\n\"")[60:] + `{"`},
		} {
			w := &jsonWatch{in: newWindow(&inPieces{pieces}, 64), objects: configMaps().objects()}
			w.objects.events = true
			if got := textOf(t, w); got != text {
				t.Errorf("with %s it says %q, want %q", name, got, text)
			}
		}
	}
}

// TestScan finds the ends of objects as a decoder does, in pieces of any size.
func TestScan(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		var text strings.Builder
		for range rng.IntN(40) {
			text.WriteString([]string{`"`, `\`, "{", "}", "[", "]", "x"}[rng.IntN(7)])
		}
		data, want := []byte(event(text.String())+event("next")), len(event(text.String()))
		var look decode.Scan
		for have := 0; ; have += 1 + rng.IntN(20) {
			end := look.End(data[:min(have, len(data))])
			if end != 0 && end != want || end == 0 && have >= want {
				t.Fatalf("with %d bytes it ends at %d, want %d: %q", have, end, want, data)
			}
			if end != 0 {
				return
			}
		}
	})
}

// TestALongEventIsReadOnce reads an event that seems to end with each of its pieces.
func TestALongEventIsReadOnce(t *testing.T) {
	const n = 20_000
	for name, write := range map[string]func(io.Writer){
		"on a line": func(to io.Writer) {
			fmt.Fprint(to, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"text":"x"},"more":[{}`)
			for range n {
				fmt.Fprint(to, `,{"of":"this is long enough to take its time"}`)
			}
			fmt.Fprint(to, "]}}\n")
		},
		"on many lines": func(to io.Writer) {
			fmt.Fprint(to, "{\n\"type\":\"ADDED\",\n\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},\"data\":{\"text\":\"x\"},\"more\":[{}")
			for range n {
				fmt.Fprint(to, ",\n{\"of\":\"this is long enough to take its time\"}")
			}
			fmt.Fprint(to, "]}}\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all bytes.Buffer
			write(&all)
			pieces := strings.SplitAfter(all.String(), "}")
			began := time.Now()
			w := &jsonWatch{in: newWindow(&inPieces{pieces}, firstWindow), objects: configMaps().objects()}
			w.objects.events = true
			if got := textOf(t, w); got != "x" {
				t.Errorf("it says %q", got)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("%d bytes in %d pieces take %v", all.Len(), len(pieces), took)
			}
		})
	}
}

// TestItemsHoweverTheyAreWritten lists an object. A list that seems to have none would delete all that are known.
func TestItemsHoweverTheyAreWritten(t *testing.T) {
	const item = `[{"metadata":{"name":"a"}}]`
	for text, want := range map[string]int{
		`{"items":` + item + `}`:                               1,
		`{"\u0069tems":` + item + `}`:                          1,
		`{"\u0069\u0074ems" : ` + item + `}`:                   1,
		`{"item\u0073":` + item + `,"it\"ems":[1]}`:            1,
		`{"items":null}`:                                       0,
		`{"Items":[1],"items":` + item + `}`:                   1,
		`{"metadata":{"items":[]},"items":` + item + `}`:       1,
		`{"items":` + item + `,"items":[]}`:                    -1,
		`{"items":[],"\u0069tems":` + item + `}`:               -1,
		`{"items":null,"metadata":{},"items":` + item + `}`:    -1,
		`{"items":` + item + `,"metadata":{},"ite\u006ds":{}}`: -1,
	} {
		n := 0
		l := jsonList{in: newWindow(strings.NewReader(text), 8), objects: configMaps().objects(), each: func(arrival) { n++ }}
		_, err := l.read()
		switch {
		case want < 0 && !errors.Is(err, errNoList):
			t.Errorf("%s is read, with %d items and the error %v", text, n, err)
		case want >= 0 && (err != nil || n != want):
			t.Errorf("%s has %d items, want %d: %v", text, n, want, err)
		}
	}
}
