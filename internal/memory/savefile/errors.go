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
	// ErrClosed is in the error of a call to a Dir or a Writer that has ended, and of one to write where a Dir only reads.
	ErrClosed = errors.New("closed already")
	// ErrRefused is in the error of a file that is not what was written, or not for this reader. Nobody can say what is
	// right in it beyond the records that came before.
	ErrRefused = errors.New("refuse")
)

// refuse returns why a file is refused. where is a place in it, such as "block 3, at byte 8192", and empty for the file as a
// whole; err is what the system said, if it did.
func refuse(path, where, why string, err error) error {
	if where != "" {
		path += ", " + where
	}
	if err != nil {
		return fmt.Errorf("%w %s: %s: %w", ErrRefused, path, why, err)
	}
	return fmt.Errorf("%w %s: %s", ErrRefused, path, why)
}
