package reflector

import (
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
)

// What goes wrong between a Reflector and its server without the server saying
// so. Each arrives wrapped in a [Error].
var (
	// ErrStreamIncomplete means that a streaming list did not come to its end:
	// the bookmark that ends it was not sent in time, or the stream broke off.
	ErrStreamIncomplete = errors.New("streaming list came to no end")
	// ErrShortWatch means that a watch was closed at once and had brought nothing.
	ErrShortWatch = errors.New("watch closed within a second without an event")
	// ErrNoAnswer means that the server did not answer a request.
	ErrNoAnswer = errors.New("no answer")
	// ErrStalled means that a watch fell silent although the server sends bookmarks.
	ErrStalled = errors.New("watch fell silent although the server sends bookmarks")
	// ErrBriefWatches means that the server ends each watch within a second, and none brings
	// anything new, so that the next has to wait.
	ErrBriefWatches = errors.New("watches end within a second, one after the other, and bring nothing new")
	// ErrPanicked means that something that was called has panicked, and that
	// [Options].Guard has let the Reflector go on.
	ErrPanicked = errors.New("something that it calls panicked")
	// ErrWentBack means that the server is at an older version than ours, as after a
	// restore from a backup.
	ErrWentBack = errors.New("server went back in time")
)

// Error is a failed attempt to list or watch.
type Error struct {
	During  string // Streaming, Listing, Watching or Following
	Kind    string // what was listed or watched
	Version string // from which version; empty is the newest
	Err     error  // why
}

// Error says what was attempted, from where, and why it failed.
func (e *Error) Error() string {
	from := ""
	if e.Version != "" {
		from = " from version " + e.Version
	}
	return fmt.Sprintf("%s %s%s: %v", doing[e.During], e.Kind, from, e.Err)
}

// Unwrap gives the server's answer to errors.Is, errors.As and the predicates of
// apimachinery's errors package.
func (e *Error) Unwrap() error { return e.Err }

// MarshalText is for those who show a status as JSON.
func (e *Error) MarshalText() ([]byte, error) { return []byte(e.Error()), nil }

// skipped is why something was left out.
type skipped struct{ error }

// MarshalText is for those who show a status as JSON.
func (s skipped) MarshalText() ([]byte, error) { return []byte(s.Error()), nil }

// Unwrap returns the reason itself.
func (s skipped) Unwrap() error { return s.error }

var doing = map[string]string{
	Streaming: "stream a list of",
	Listing:   "list",
	Watching:  "watch",
	Following: "follow the watch of",
}

// failure is what kind of failure an error is, as far as it matters for what to
// do next.
type failure uint8

const (
	failedOtherwise failure = iota
	failedExpired           // the version is compacted away
	failedTooNew            // this server has not heard of the version yet
	failedBusy              // the server is there and wants to be asked later
	failedRefused           // nothing listens at the server's address
	failedDenied            // we may not
	failedMissing           // the server does not have the kind
	failedNoList            // the server has the kind and can't list it
	failedInternal          // the server broke
)

func classify(err error) failure {
	switch {
	case errors.Is(err, listwatch.ErrNoList):
		return failedNoList
	case isTooNew(err):
		return failedTooNew
	case apierrors.IsResourceExpired(err), apierrors.IsGone(err):
		return failedExpired
	case apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err):
		return failedBusy
	case utilnet.IsConnectionRefused(err):
		return failedRefused
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return failedDenied
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return failedMissing
	case apierrors.IsInternalError(err):
		return failedInternal
	default:
		return failedOtherwise
	}
}

// isStreamUnsupported reports whether the server will not stream a list however
// often it is asked, as opposed to having failed to.
func isStreamUnsupported(err error) bool {
	return errors.Is(err, ErrStreamIncomplete) ||
		apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsMethodNotSupported(err)
}

// lostVersion reports whether the server cannot serve the version asked for, so
// that asking for the newest instead may help.
func (f failure) lostVersion() bool { return f == failedExpired || f == failedTooNew }

// keepsPosition reports whether the watch can go on where it ended, once the
// server can be reached again: a list would only add to its load.
func (f failure) keepsPosition() bool { return f == failedBusy || f == failedRefused }

// isAway reports whether there was no server to be asked, as opposed to one that has
// too much to do.
func isAway(err error) bool {
	return utilnet.IsConnectionRefused(err) || apierrors.IsServiceUnavailable(err)
}

// degrades reports whether only a person can help.
func (f failure) degrades() bool {
	return f == failedDenied || f == failedMissing || f == failedNoList
}

// Degrades reports whether a kind is degraded after this error: the server refuses the kind,
// does not have it or can't list it.
func Degrades(err error) bool { return classify(err).degrades() }

// isTooNew knows the answer's present form and the two that it had before API
// servers said so in a cause of its own.
func isTooNew(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	var answer apierrors.APIStatus
	if !apierrors.IsTimeout(err) || !errors.As(err, &answer) {
		return false
	}
	const words = "Too large resource version"
	status := answer.Status()
	if strings.Contains(status.Message, words) {
		return true
	}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			if cause.Message == words {
				return true
			}
		}
	}
	return false
}

// maxRetryAfter is the longest that a server's Retry-After is believed.
const maxRetryAfter = 5 * time.Minute

// retryAfter is how long the server asked to be left alone, zero if it did not.
func retryAfter(err error) time.Duration {
	seconds, _ := apierrors.SuggestsClientDelay(err)
	return min(max(time.Duration(seconds)*time.Second, 0), maxRetryAfter)
}
