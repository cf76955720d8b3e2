package sim

import (
	"fmt"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fault is one way for a request to go wrong.
type fault uint8

const (
	faultNone fault = iota
	faultRefused
	faultThrottled
	faultInternal
	faultExpired
	faultForbidden
	faultTooLarge
	faultSlow        // answered, late
	faultPageExpired // the second page of a list is 410
	faultStreamCut   // a streaming list ends half way
	faultStreamError // a streaming list ends half way, with an error event
	faultStreamMute  // a streaming list never says that it is complete
	faultCount
)

var faultNames = [...]string{"none", "refused", "429", "500", "410", "403", "tooLarge", "slow", "page410", "streamCut", "streamError", "streamMute"}

// String is the text of a fault in a printed script.
func (f fault) String() string { return faultNames[f] }

// err is the error that the fault causes in a client, or nil if it causes none.
func (f fault) err() error {
	resource := schema.GroupResource{Resource: "configmaps"}
	switch f {
	case faultRefused:
		return fmt.Errorf("dial tcp 127.0.0.1:1: connect: %w", syscall.ECONNREFUSED)
	case faultThrottled:
		return apierrors.NewTooManyRequests("too many requests", 1)
	case faultInternal:
		return apierrors.NewInternalError(fmt.Errorf("etcd leader changed"))
	case faultExpired, faultPageExpired, faultStreamError:
		return apierrors.NewResourceExpired("the resource version is too old")
	case faultForbidden:
		return apierrors.NewForbidden(resource, "", fmt.Errorf("no role"))
	case faultTooLarge:
		return tooLarge()
	case faultNone, faultSlow, faultStreamCut, faultStreamMute, faultCount:
	}
	return nil
}

// status is the fault as the object of a watch's ERROR event.
func (f fault) status() *metav1.Status {
	var status apierrors.APIStatus = apierrors.NewInternalError(fmt.Errorf("connection lost"))
	if api, ok := f.err().(apierrors.APIStatus); ok {
		status = api
	}
	s := status.Status()
	return &s
}

// tooLarge is the API server's answer to a version that it has not reached.
func tooLarge() error {
	err := apierrors.NewTimeoutError("Too large resource version", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return err
}
