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

// FuzzManifest reads manifests from any text.
func FuzzManifest(f *testing.F) {
	f.Add((&manifest{Format: format, Cluster: "uid one", Kinds: map[string]entry{"v1 Thing": {File: "a", Print: "all"}}}).text())
	f.Add([]byte(`{"Format":2,"Kinds":{"":{}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			return
		}
		again, err := parseManifest(m.text())
		if err != nil || len(again.Kinds) != len(m.Kinds) || again.Cluster != m.Cluster {
			t.Errorf("%q is read again as %v (%v)", text, again, err)
		}
	})
}
