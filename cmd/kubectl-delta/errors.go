package main

import (
	"errors"
	"fmt"
)

var (
	// errUsage marks a command line that can't be meant.
	errUsage = errors.New("wrong usage")
	// errIll is what status --fail returns if something is ill.
	errIll = errors.New("something is ill")
)

// usageError is a sentence about a command line.
type usageError struct{ text string }

func (u usageError) Error() string { return u.text }

func (usageError) Is(target error) bool { return target == errUsage }

func misuse(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }
