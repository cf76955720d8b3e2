package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
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
