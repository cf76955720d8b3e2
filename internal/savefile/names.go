package savefile

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"strings"
)

const (
	suffix       = ".save"
	temporary    = ".tmp" // after a suffix: not finished, nobody will miss it
	manifestName = "manifest" + suffix
	lockName     = "savefile.lock"
	labelLength  = 64 // the most of a label that a name has
)

// ours are the names of what Create makes. All other names are somebody else's.
var ours = regexp.MustCompile(`^[A-Za-z0-9._]{1,64}-[0-9a-f]{32}\.save(\.tmp)?$`)

// newName returns a name that no file has, had or will have.
func newName(label string) string {
	var unique [16]byte
	_, _ = rand.Read(unique[:]) // never fails
	return safe(label) + "-" + hex.EncodeToString(unique[:]) + suffix
}

// safe makes a label part of a file name on any system.
func safe(label string) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.':
			return r
		default:
			return '_'
		}
	}, label)
	if text = text[:min(len(text), labelLength)]; text == "" {
		return "_"
	}
	if text[0] == '.' {
		return "_" + text[1:] // otherwise it would be hidden
	}
	return text
}

// isFile says whether a name is that of a finished file.
func isFile(name string) bool { return ours.MatchString(name) && strings.HasSuffix(name, suffix) }

// isLeftover says whether a name is that of a file that was not finished.
func isLeftover(name string) bool {
	return ours.MatchString(name) && strings.HasSuffix(name, temporary)
}
