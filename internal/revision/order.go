package revision

// Older reports whether resource version a is known to come before b. Versions
// have an order only where both are numbers; of others nothing is known.
func Older(a, b string) bool {
	a, aIsNumber := Number(a)
	b, bIsNumber := Number(b)
	if !aIsNumber || !bIsNumber {
		return false
	}
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// Number strips leading zeros of a decimal number, so that comparing length and
// then text compares values of any size. It reports false for other strings.
func Number(s string) (string, bool) {
	zeros := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return "", false
		}
		if s[i] == '0' && zeros == i {
			zeros++
		}
	}
	return s[zeros:], s != ""
}
