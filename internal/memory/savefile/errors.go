package savefile

import (
	"errors"
	"fmt"
)

var (
	// ErrFull is in the error of a call that would exceed Options.MaxBytes.
	ErrFull = errors.New("no room is left")
	// ErrLocked is in the error of [Open] if the directory is open already.
	ErrLocked = errors.New("the directory is in use, by another process or by this one")
	// ErrTooLong is in the error of a call with a record or a header that no file may have.
	ErrTooLong = errors.New("too long")
	// ErrClosed is in the error of a call to a Dir, a Writer or a Reader that has ended, and of one to write where a Dir only reads.
	ErrClosed = errors.New("closed already")
)

// Refused says that a file is not what was written, or not for this reader. Nobody can say
// what is right in it beyond the records that came before.
type Refused struct {
	Path  string // of the file
	Where string // in the file, such as `block 3, at byte 8192`; empty if it is the file as a whole
	Why   string // a sentence without a full stop
	Err   error  // what the system said, if it did
}

func (r *Refused) Error() string {
	text := "refuse " + r.Path
	if r.Where != "" {
		text += ", " + r.Where
	}
	text += ": " + r.Why
	if r.Err != nil {
		text += fmt.Sprintf(": %v", r.Err)
	}
	return text
}

// Unwrap returns what the system said.
func (r *Refused) Unwrap() error { return r.Err }
