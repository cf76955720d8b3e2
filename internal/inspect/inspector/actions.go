package inspector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

func (h *handler) resync(c *call, body v1.ResyncAction) (v1.Done, error) {
	kind, err := h.kindOf(body.Kind)
	if err != nil {
		return v1.Done{}, err
	}
	selector, err := labels.Parse(body.Selector)
	if err != nil {
		return v1.Done{}, refuse(http.StatusBadRequest, "the selector %q can't be read: %v", clip(body.Selector), err)
	}
	return h.subject.Resync(c.r.Context(), kind, selector)
}

// relist does not wait for long: a server may refuse the list for hours, and who asks takes an operator that says nothing to be
// away.
func (h *handler) relist(c *call, body v1.RelistAction) (v1.Done, error) {
	kind, err := h.kindOf(body.Kind)
	if err != nil {
		return v1.Done{}, err
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), h.pace.list)
	defer cancel()
	done, err := h.subject.Relist(ctx, kind)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && c.r.Context().Err() == nil {
		return v1.Done{Message: fmt.Sprintf("The list was asked for, and has not come in %s: %s", h.pace.list, path.Cut(err.Error(), longestWhy))}, nil
	}
	return done, err
}

func (h *handler) policy(c *call, body v1.PolicyAction) (v1.Done, error) {
	kind, err := h.kindOf(body.Kind)
	if err != nil {
		return v1.Done{}, err
	}
	to := resync.Policy{Period: resync.Never, Rate: body.Rate}
	if body.Period != "never" {
		to.Period, err = time.ParseDuration(body.Period)
		if err != nil || to.Period <= 0 {
			return v1.Done{}, refuse(http.StatusBadRequest, "the period is %q, and has to be a duration such as 10m, or never", clip(body.Period))
		}
	}
	if err := to.Check(); err != nil {
		return v1.Done{}, refuse(http.StatusBadRequest, "the policy makes no sense: %v", err)
	}
	return h.subject.SetPolicy(c.r.Context(), kind, to)
}

// onRequest is an action on a request of a controller.
func onRequest(do func(Subject, context.Context, Request) (v1.Done, error)) func(*handler, *call, v1.RequestAction) (v1.Done, error) {
	return func(h *handler, c *call, body v1.RequestAction) (v1.Done, error) {
		if body.Controller == "" || body.Name == "" {
			return v1.Done{}, refuse(http.StatusBadRequest, "an action on a request needs the fields controller and name")
		}
		if err := findController(h.subject.ControllerNames(), body.Controller); err != nil {
			return v1.Done{}, err
		}
		return do(h.subject, c.r.Context(), Request(body))
	}
}

// kindOf is the name of the kind that an action is about. There is none about all kinds.
func (h *handler) kindOf(asked string) (string, error) {
	if asked == "" {
		return "", refuse(http.StatusBadRequest, "the field kind is missing: %s", thisKind.about)
	}
	return findKind(h.subject.KindNames(), asked)
}
