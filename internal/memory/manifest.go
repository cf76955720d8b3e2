package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// errEnd is what a reader of a file returns at its end.
var errEnd = io.EOF

// format is the version of what is in the files.
const format = 1

// manifest says what was saved together.
type manifest struct {
	Format  int
	Program Program
	Saved   time.Time
	Heap    uint64 // what lived in the process's heap, about
	Boot    string // of the machine, when it was saved; empty if that is not known
	Cluster cluster
	Seed    [32]byte
	Kinds   map[string]kindEntry
	Ledgers map[string]ledgerEntry `json:",omitempty"`
	// Marks is the file that notes which requests were taken since. It is empty if nothing can have been: the
	// controllers had ended.
	Marks string `json:",omitempty"`
}

type kindEntry struct {
	File    string
	Objects int
	Version string
	Print   string
	Schema  string // what the server says about the version of its description
}

type ledgerEntry struct {
	File      string
	Successes int
}

func (m *manifest) text() []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	return text
}

func emptyManifest() []byte { return (&manifest{Format: format}).text() }

func parseManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("it has the format %d, and this program reads %d", m.Format, format)
	}
	if len(m.Kinds) == 0 {
		return nil, errors.New("nothing is in it")
	}
	return m, nil
}

// files are those that the manifest names, except marks.
func (m *manifest) files() []string {
	all := map[string]bool{}
	for _, k := range m.Kinds {
		all[k.File] = true
	}
	for _, l := range m.Ledgers {
		all[l.File] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// marksOf returns how many requests of each controller can be marked.
func (m *manifest) marksOf() map[string]int {
	all := make(map[string]int, len(m.Ledgers))
	for name, l := range m.Ledgers {
		all[name] = l.Successes
	}
	return all
}
