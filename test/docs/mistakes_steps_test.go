package docs

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func (r *mistaken) checksum(context.Context, ctrl.Request) (string, error) { return "", nil }

func (r *mistaken) rollOut(context.Context, ctrl.Request, string) error { return nil }

func (r *mistaken) passedOn(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	plan, sum := delta.Plan(ctx), ""
	first := plan.On(&corev1.Secret{}, "data").Do("checksum", func(ctx context.Context) (err error) {
		sum, err = r.checksum(ctx, req)
		return err
	})
	second := plan.On(&appsv1.Deployment{}).Do("roll out", func(ctx context.Context) error {
		return r.rollOut(ctx, req, sum) // "" if the first step was skipped
	})
	return ctrl.Result{}, errors.Join(first, second)
}

func (r *mistaken) readBefore(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	sum, err := r.checksum(ctx, req) // before the steps: a read of the cache costs little
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, delta.Plan(ctx).On(&corev1.Secret{}, "data").On(&appsv1.Deployment{}).Do("roll out", func(ctx context.Context) error {
		return r.rollOut(ctx, req, sum)
	})
}

var _, _ = (*mistaken).passedOn, (*mistaken).readBefore
