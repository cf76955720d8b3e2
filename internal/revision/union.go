package revision

import "time"

// Union finds the version of several scopes together: the lowest, as up to there
// everything is known of all of them. Versions that are not numbers have no order; then it
// is the one that was heard last, which says little. Scopes without a version do not count.
// So it goes back where a scope is added that is behind.
type Union struct {
	lowest, last string
	lastAt       time.Time
	unordered    bool
}

// Add takes in the version of a scope that was heard of at a time.
func (u *Union) Add(version string, heardAt time.Time) {
	if version == "" {
		return
	}
	if _, isNumber := Number(version); !isNumber {
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
func (u *Union) Version() string {
	if u.unordered {
		return u.last
	}
	return u.lowest
}
