package listwatch

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keyed is the error of an object that can't be understood, and whose key can be read.
type keyed struct {
	error
	key delta.Key
}

// Unwrap returns the error itself.
func (k *keyed) Unwrap() error { return k.error }

// WithKey returns err with the key of the object that it is about. So who misses the object knows that this one
// is there, and that no other is hidden. A key without a name says nothing.
func WithKey(err error, key delta.Key) error {
	if err == nil || key.Name == "" {
		return err
	}
	return &keyed{err, key}
}

// KeyOf returns the key that err has.
func KeyOf(err error) (delta.Key, bool) {
	if k, ok := errors.AsType[*keyed](err); ok {
		return k.key, true
	}
	return delta.Key{}, false
}

// keyedBy is WithKey for an object that was decoded, if it has a key.
func keyedBy(err error, obj runtime.Object) error {
	if err == nil {
		return nil
	}
	about, unreadable := meta.Accessor(obj)
	if unreadable != nil {
		return err
	}
	return WithKey(err, delta.Key{Namespace: about.GetNamespace(), Name: about.GetName()})
}

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
