package faulty

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Thing is the object that the Reflector's tests are about. One without a name
// has no key.
type Thing struct{ Name, Version string }

func (t Thing) String() string { return t.Name + "@" + t.Version }

// ErrNoName is the error of a thing that has no key.
var ErrNoName = errors.New("the thing has no name")

// KeyOf reads the key of a thing.
func KeyOf(t Thing) (delta.Key, error) {
	if t.Name == "" {
		return delta.Key{}, ErrNoName
	}
	return delta.Key{Name: t.Name}, nil
}

var things = schema.GroupResource{Group: "test", Resource: "things"}

// answers are the errors that a server or the network has for us.
var answers = map[string]func() error{
	"expired": func() error { return apierrors.NewResourceExpired("version is too old") },
	"gone": func() error {
		return apierrors.NewGenericServerResponse(410, "watch", things, "", "version is gone", 0, true)
	},
	"too-new": func() error {
		err := apierrors.NewTimeoutError("too new", 0)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
		return err
	},
	"busy":        func() error { return apierrors.NewTooManyRequests("later", 0) },
	"busy-7s":     func() error { return apierrors.NewTooManyRequests("later", 7) },
	"unavailable": func() error { return apierrors.NewServiceUnavailable("starting up") },
	"internal":    func() error { return apierrors.NewInternalError(errors.New("no leader")) },
	"forbidden":   func() error { return apierrors.NewForbidden(things, "", errors.New("no role")) },
	"missing":     func() error { return apierrors.NewGenericServerResponse(404, "list", things, "", "", 0, true) },
	"no-match": func() error {
		return fmt.Errorf("map: %w", &meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "Thing"}})
	},
	"invalid": func() error { return apierrors.NewBadRequest("sendInitialEvents is not supported") },
	"refused": func() error { return fmt.Errorf("dial: %w", syscall.ECONNREFUSED) },
	"broken":  func() error { return errors.New("connection reset") },
	"eof":     func() error { return io.EOF },
}

// Answer is the error of a name.
func Answer(name string) error {
	f, ok := answers[name]
	if !ok {
		panic("no answer is called " + name)
	}
	return f()
}
