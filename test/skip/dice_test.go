package skip

import (
	"fmt"
	"hash/fnv"
	"time"
)

// dice are those of one seed. What they show depends on what they are rolled for and on
// nothing else: to leave one thing out of a world changes nothing about the others.
type dice uint64

// roll is a number below sides.
func (d dice) roll(sides int, about ...any) int {
	hash := fnv.New64a()
	fmt.Fprintln(hash, uint64(d), about)
	x := hash.Sum64() // whose low bits alone are no good
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return int(x % uint64(sides))
}

// percent is true so many times of a hundred.
func (d dice) percent(chance int, about ...any) bool { return d.roll(100, about...) < chance }

// pause is a time of up to most. It is hardly ever the same twice, so that things do not
// happen at the very same moment by chance.
func (d dice) pause(most time.Duration, about ...any) time.Duration {
	return time.Duration(1 + d.roll(int(most), about...))
}
