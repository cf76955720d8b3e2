package cache

import (
	"fmt"
	"strconv"
	"strings"
)

// pageToken says where a list goes on.
type pageToken struct {
	// process tells the tokens of this process from those of one before it, whose
	// lists are gone.
	process uint64
	list    uint64
	from    int // the first object of the page
}

// tokenPrefix marks our tokens and their version.
const tokenPrefix = "delta1"

func (t pageToken) String() string {
	return fmt.Sprintf("%s.%x.%x.%x", tokenPrefix, t.process, t.list, t.from)
}

// parsePageToken is the inverse of String. It takes exactly what String writes.
func parsePageToken(text string) (t pageToken, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 || parts[0] != tokenPrefix {
		return t, false
	}
	var numbers [3]uint64
	for i := range numbers {
		n, err := strconv.ParseUint(parts[i+1], 16, 64)
		if err != nil {
			return t, false
		}
		numbers[i] = n
	}
	t = pageToken{process: numbers[0], list: numbers[1], from: int(numbers[2])}
	// We give nobody a token that is too large, in capitals or has leading zeros.
	if t.from < 0 || t.String() != text {
		return pageToken{}, false
	}
	return t, true
}
