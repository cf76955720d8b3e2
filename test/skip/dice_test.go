package skip

import (
	"fmt"
	"hash/fnv"
	"time"
)

// dice are the dice of one seed. The result of a roll depends only on the seed and on the
// purpose of the roll. So if one thing is left out of a world, the others stay the same.
type dice uint64

// roll returns a number below sides.
func (d dice) roll(sides int, about ...any) int {
	hash := fnv.New64a()
	fmt.Fprintln(hash, uint64(d), about)
	x := hash.Sum64() // the low bits of an FNV hash alone are not random enough
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return int(x % uint64(sides))
}

// percent is true with this chance in percent.
func (d dice) percent(chance int, about ...any) bool { return d.roll(100, about...) < chance }

// pause returns a time up to most. It is hardly ever the same twice, so that two things do
// not happen at the same moment by chance.
func (d dice) pause(most time.Duration, about ...any) time.Duration {
	return time.Duration(1 + d.roll(int(most), about...))
}
