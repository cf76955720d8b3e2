// Package toy is small enough to be broken in every way.
package toy

// Larger returns the larger of two numbers.
func Larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// Smaller returns the smaller of two numbers. No test calls it.
func Smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}
