package reflector

import "time"

// Older reports whether resource version a is known to come before b. Versions
// have an order only where both are numbers; of others nothing is known.
func Older(a, b string) bool {
	a, aIsNumber := VersionNumber(a)
	b, bIsNumber := VersionNumber(b)
	if !aIsNumber || !bIsNumber {
		return false
	}
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// VersionNumber strips leading zeros of a decimal number, so that comparing length and
// then text compares values of any size. It reports false for other strings.
func VersionNumber(s string) (string, bool) {
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

// VersionUnion finds the version of several scopes: the lowest, as up to there everything is known of all of them. If
// some version is not a number it is the one that was heard last, which says little. Scopes without a version do not
// count.
type VersionUnion struct {
	lowest, last string
	lastAt       time.Time
	unordered    bool
}

// Add takes in the version of a scope that was heard of at a time.
func (u *VersionUnion) Add(version string, heardAt time.Time) {
	if version == "" {
		return
	}
	if _, isNumber := VersionNumber(version); !isNumber {
		u.unordered = true
	}
	if u.lowest == "" || Older(version, u.lowest) {
		u.lowest = version
	}
	if u.last == "" || heardAt.After(u.lastAt) {
		u.last, u.lastAt = version, heardAt
	}
}

// Version is that of all scopes together.
func (u *VersionUnion) Version() string {
	if u.unordered {
		return u.last
	}
	return u.lowest
}
