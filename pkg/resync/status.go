package resync

import "time"

// Status is how far the resyncs of all subscribers are.
type Status struct {
	// Next is when the next begins; zero is never.
	Next time.Time `json:",omitzero"`
	// Runs is how many have begun and not ended, and Left how many objects they have
	// yet to show. Subscribers that are shown the same together share a run.
	Runs, Left int
	// Shown is how many objects have been shown since the informer was made. Subscribers that
	// are shown the same together count once.
	Shown uint64
	// Waiting is how many are wanted on demand and have not begun, because others
	// have not ended.
	Waiting int
	// Skipped is how many have not begun, and will not, because two earlier ones of
	// the same subscriber had not ended.
	Skipped uint64
}
