package decode

import "k8s.io/apimachinery/pkg/api/resource"

// measures has what quantities were written as lately: there are few of them, and to read one takes long.
type measures map[string]resource.Quantity

const (
	maxMeasures      = 1024
	maxMeasureLength = 32
)

// read decodes a quantity.
func (m measures) read(data []byte, into *resource.Quantity) bool {
	if known, ok := m[string(data)]; ok {
		*into = known
		return true
	}
	var again resource.Quantity
	if into.Unmarshal(data) != nil {
		return false
	}
	// One that is not a plain number is behind a pointer, and nobody shares that.
	if len(data) > maxMeasureLength || again.Unmarshal(data) != nil || again != *into {
		return true
	}
	if len(m) >= maxMeasures {
		clear(m)
	}
	m[string(data)] = *into
	return true
}
