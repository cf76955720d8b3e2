package decode

import (
	"time"

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
