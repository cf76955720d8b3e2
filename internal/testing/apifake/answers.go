package apifake

import (
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// asked is a request whose options make sense.
type asked struct {
	metav1.ListOptions
	version int64 // 0 for none and for "0"
}

// check completes options as the server does, or refuses them.
func (s *Server) check(o metav1.ListOptions, isWatch bool) (asked, error) {
	if o.FieldSelector != "" || o.LabelSelector != "" {
		panic("BUG: apifake selects nothing, neither by " + o.FieldSelector + " nor by " + o.LabelSelector)
	}
	in := internalversion.ListOptions{
		Watch: isWatch, ResourceVersion: o.ResourceVersion, ResourceVersionMatch: o.ResourceVersionMatch,
		Continue: o.Continue, Limit: o.Limit, SendInitialEvents: o.SendInitialEvents,
	}
	internalversion.SetListOptionsDefaults(&in, !s.o.NoStreams)
	if errs := validation.ValidateListOptions(&in, !s.o.NoStreams); len(errs) > 0 {
		return asked{}, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	o.SendInitialEvents, o.ResourceVersionMatch = in.SendInitialEvents, in.ResourceVersionMatch
	a := asked{ListOptions: o}
	if o.ResourceVersion != "" {
		version, err := strconv.ParseUint(o.ResourceVersion, 10, 63)
		switch {
		case err == nil:
			a.version = int64(version)
		case isWatch:
			return asked{}, nonsense(err)
		default:
			return asked{}, apierrors.NewBadRequest(fmt.Sprintf("parse the resource version: %v", err))
		}
	}
	return a, nil
}

// tooLarge is the answer to a version that has not been reached. Clients recognize it by
// its words, too.
func tooLarge(wanted, have int64, retryAfter int) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", wanted, have), retryAfter)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version",
	}}
	return err
}

// expired is the answer to a version that is forgotten.
func expired(wanted, have int64) error {
	return apierrors.NewResourceExpired(fmt.Sprintf("version %d is forgotten, there is nothing before %d", wanted, have))
}

// nonsense is the answer to a watch from something that is not a version. The real server
// has forgotten to say that it is the client's fault.
func nonsense(err error) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonUnknown,
		Message: fmt.Sprintf("parse the resource version: %v", err),
	}}
}
