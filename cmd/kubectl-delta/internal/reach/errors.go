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

// StrangerError says that a Pod which nobody has named gets no token.
type StrangerError struct {
	Namespace, Pod string
	// Token says which token it would be.
	Token string
}

func (s *StrangerError) Error() string {
	return fmt.Sprintf("Pod %s in namespace %s asks for a token, and you have not named this namespace: the person who runs it would see %s; "+
		"if it is your operator, use %s", s.Pod, s.Namespace, s.Token, strings.Join(s.Flags(), " "))
}

// Flags name the operator.
func (s *StrangerError) Flags() []string { return []string{"--operator-namespace", s.Namespace} }

// AmbiguousError says that several Pods may be meant.
type AmbiguousError struct {
	Why string
	// Choices are the flags that name each of the Pods.
	Choices []string
}

func (a *AmbiguousError) Error() string {
	return fmt.Sprintf("find the operator: %s: use %s", a.Why, strings.Join(a.Choices, ", or "))
}
