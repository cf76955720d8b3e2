package decode

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// protoMoment decodes a metav1.Time, which is in seconds whatever is sent.
func protoMoment(data []byte, into *metav1.Time) bool {
	if len(data) == 0 {
		return true
	}
	var seconds int64
	for len(data) > 0 {
		number, v, rest, ok := nextField(data)
		if !ok || v.sort != protoVarint || number > 2 {
			return false
		}
		if number == 1 {
			seconds = int64(v.number) //nolint:gosec // a varint has the bits of its number
		}
		data = rest
	}
	into.Time = time.Unix(seconds, 0).Local()
	return true
}

// measures remembers what quantities are written as: there are few of them, and to read one takes long.
type measures struct {
	known map[string]resource.Quantity
}

const (
	maxMeasures      = 1024
	maxMeasureLength = 32
)

// read decodes a quantity.
func (m *measures) read(data []byte, into *resource.Quantity) bool {
	if known, ok := m.known[string(data)]; ok {
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
	if m.known == nil || len(m.known) >= maxMeasures {
		m.known = map[string]resource.Quantity{}
	}
	m.known[string(data)] = *into
	return true
}
