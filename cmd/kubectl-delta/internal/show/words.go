package show

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// None stands where there is nothing to say.
const None = "-"

// Age is how long before at something was. Both times are the operator's, so the clock of
// this machine does not matter.
func Age(at, when time.Time) string {
	if when.IsZero() {
		return None
	}
	return duration.HumanDuration(max(at.Sub(when), 0))
}

// Ago is [Age] in a sentence.
func Ago(at, when time.Time) string {
	if when.IsZero() {
		return "never"
	}
	return Age(at, when) + " ago"
}

// Until is how long after at something is due.
func Until(at, when time.Time) string {
	if !when.After(at) {
		return "now"
	}
	return "in " + duration.HumanDuration(when.Sub(at))
}

// Seconds is a duration that came as a number.
func Seconds(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= 10*time.Second:
		return duration.HumanDuration(d)
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	default:
		return d.Round(time.Microsecond).String()
	}
}

// Bytes is a size in the unit that suits it.
func Bytes(n uint64) string {
	size := float64(n)
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	for _, unit := range []string{"KiB", "MiB", "GiB"} {
		if size /= 1024; size < 1024 {
			return fmt.Sprintf("%.1f %s", size, unit)
		}
	}
	return fmt.Sprintf("%.1f TiB", size/1024)
}

// Count is a number with the word for what it counts.
func Count[N int | uint32 | uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
