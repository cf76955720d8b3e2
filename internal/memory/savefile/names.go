package savefile

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

const (
	suffix      = ".save"
	temporary   = ".tmp" // after a suffix: not finished, nobody will miss it
	lockName    = "savefile.lock"
	labelLength = 64 // the most of a label that a name has
)

// isFile says whether a name is that of a finished file, isLeftover of one that was not finished. All other names are
// somebody else's.
var (
	isFile     = regexp.MustCompile(`^[A-Za-z0-9._]{1,64}-[0-9a-f]{32}\.save$`).MatchString
	isLeftover = regexp.MustCompile(`^[A-Za-z0-9._]{1,64}-[0-9a-f]{32}\.save\.tmp$`).MatchString
)

// fileName is what the finished file of a label is called.
func fileName(label string) string {
	sum := sha256.Sum256([]byte(label))
	return safe(label) + "-" + hex.EncodeToString(sum[:16]) + suffix
}

// newTemporary returns a name that no file has, had or will have. So a process that has lost the directory can't
// give its name to what another one is writing.
func newTemporary(label string) string {
	var unique [16]byte
	_, _ = rand.Read(unique[:]) // never fails
	return safe(label) + "-" + hex.EncodeToString(unique[:]) + suffix + temporary
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
