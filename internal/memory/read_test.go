package memory

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestASaveInTheMiddleOfARead sees that a kind is not saved before its past was read to the end: it would be its own past.
func TestASaveInTheMiddleOfARead(t *testing.T) {
	at := newPlace(t)
	at.start(t, three()).finish()
	p := at.start(t, map[string]string{"z": "9"})
	calls := 0
	at.asked = func() {
		at.asked = nil
		calls++
		p.save()
	}
	if got := p.read(); !maps.Equal(got, three()) || calls != 1 || p.encoded != 0 {
		t.Errorf("given %v, and by then %d objects were saved (%d calls)", got, p.encoded, calls)
	}
	if p.save(); p.encoded != 1 {
		t.Errorf("afterwards %d objects were saved", p.encoded)
	}
}

// TestDamageAtTheEnd has a file whose last block is damaged: nothing of the kind is used, although the blocks before are right.
func TestDamageAtTheEnd(t *testing.T) {
	at, many := newPlace(t), map[string]string{}
	for i := range 20_000 {
		sum := sha256.Sum256(fmt.Append(nil, i)) // which nothing packs
		many[hex.EncodeToString(sum[:])] = strconv.Itoa(i)
	}
	at.start(t, many).finish()
	for name, content := range files(t, at.dir) {
		if len(content) < 256<<10 { // the lock's
			continue
		}
		content[len(content)-20]++
		must(t, os.WriteFile(filepath.Join(at.dir, name), content, 0o600))
	}
	p := at.start(t, many)
	if got := p.read(); got != nil {
		t.Errorf("given %d objects", len(got))
	}
	if lines := p.log(); len(lines) != 1 || !strings.Contains(lines[0], "not what was written there") {
		t.Errorf("the log has %q", lines)
	}
}

// FuzzIdentity reads identities from any bytes: what is read is written in the same way.
func FuzzIdentity(f *testing.F) {
	f.Add(identity{delta.Key{Namespace: "n", Name: "a"}, "uid", "1"}.append(nil))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		about, rest, err := parseIdentity(data)
		if err != nil {
			return
		}
		again, tail, err := parseIdentity(append(about.append(nil), rest...))
		if err != nil || again != about || !bytes.Equal(tail, rest) {
			t.Errorf("%q is %v, which is read again as %v (%v)", data, about, again, err)
		}
	})
}

// FuzzHeader reads headers from any text.
func FuzzHeader(f *testing.F) {
	f.Add(header{Format: format, Cluster: "uid one", Print: "all"}.text())
	f.Add([]byte(`{"Format":3,"Saved":"2026-11-26T00:00:00Z","Kinds":{"":{}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := parseHeader(text)
		if err != nil {
			return
		}
		again, err := parseHeader(h.text())
		if err != nil || !again.Saved.Equal(h.Saved) || again.Cluster != h.Cluster || again.Print != h.Print {
			t.Errorf("%q is read again as %v (%v)", text, again, err)
		}
	})
}
