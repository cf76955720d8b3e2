package memory

import (
	"bytes"
	"testing"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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
