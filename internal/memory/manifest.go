package memory

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// format is the version of what is in the files.
const format = 2

// manifest says what was saved.
type manifest struct {
	Format  int
	Saved   time.Time
	Cluster string
	Kinds   map[string]entry
}

// entry is what was saved of a kind.
type entry struct {
	File  string
	Print string // of the selectors and the like
}

func (m *manifest) text() []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	return text
}

func parseManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("it has the format %d, and this program reads %d", m.Format, format)
	}
	return m, nil
}

// files are those that the manifest names.
func (m *manifest) files() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(m.Kinds)) {
		all = append(all, m.Kinds[name].File)
	}
	return all
}
