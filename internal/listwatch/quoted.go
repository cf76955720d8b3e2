package listwatch

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// quotes is how errors of decoders begin to quote the object whose kind or version they miss. That may be a Secret.
const quotes = " is missing in '"

// WithoutQuotes returns an error of a client without what it quotes of the server's answer.
func WithoutQuotes(err error) error {
	if err == nil || !strings.Contains(err.Error(), quotes) {
		return err
	}
	if key, ok := KeyOf(err); ok {
		return WithKey(withoutQuotes(err), key)
	}
	return withoutQuotes(err)
}

func withoutQuotes(err error) error {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return errors.New(cutQuote(err.Error())) // it does not wrap err, whose text has it
	}
	status := answer.Status()
	status.Message = cutQuote(status.Message)
	if status.Details != nil {
		status.Details = status.Details.DeepCopy()
		for i := range status.Details.Causes {
			status.Details.Causes[i].Message = cutQuote(status.Details.Causes[i].Message)
		}
	}
	return &apierrors.StatusError{ErrStatus: status}
}

func cutQuote(text string) string {
	before, _, found := strings.Cut(text, quotes)
	if !found {
		return text
	}
	return before + " is missing in what the server sent"
}
