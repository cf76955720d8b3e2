package reach

import (
	"fmt"
	"strings"
)

// UsageError is a sentence about a command line that can't be meant.
type UsageError string

func (u UsageError) Error() string { return string(u) }

// Misuse returns a UsageError.
func Misuse(format string, args ...any) error { return UsageError(fmt.Sprintf(format, args...)) }

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
