package reach

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUsage marks options that can't be meant.
var ErrUsage = errors.New("wrong usage")

// usage is a sentence about wrong options.
type usage struct{ text string }

func (u usage) Error() string { return u.text }

func (usage) Is(target error) bool { return target == ErrUsage }

// AmbiguousError says that several Pods may be meant.
type AmbiguousError struct {
	Why string
	// Choices are the flags that name each of the Pods.
	Choices []string
}

func (a *AmbiguousError) Error() string {
	return fmt.Sprintf("find the operator: %s: use %s", a.Why, strings.Join(a.Choices, ", or "))
}
