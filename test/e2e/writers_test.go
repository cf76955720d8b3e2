package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

// op is what a step does to its object.
type op uint8

const (
	_ op = iota
	added
	updated
	deleted
)

func (o op) String() string { return [...]string{"?", "added", "updated", "deleted"}[o] }

// step is one write.
type step struct {
	kind  kind
	op    op
	key   cache.ObjectName
	value int64
}

// writer carries out steps, also while the server is disturbed.
type writer struct {
	client dynamic.Interface
	owner  string
}

// do repeats a step until the server has done it. A server that was stopped may have done it
// without an answer. So it is also good if the step is done already.
func (w writer) do(ctx context.Context, s step) error {
	for {
		err := w.try(ctx, s)
		switch {
		case s.op == added && apierrors.IsAlreadyExists(err), s.op == deleted && apierrors.IsNotFound(err):
			return nil
		case err == nil:
			return nil
		case ctx.Err() != nil || apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
			return fmt.Errorf("%s %s %s: %w", s.op, s.kind.name, s.key, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (w writer) try(ctx context.Context, s step) error {
	// After a server was stopped, a request may have to wait long for its error.
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	client := w.client.Resource(s.kind.resource).Namespace(s.key.Namespace)
	var err error
	switch s.op {
	case added:
		_, err = client.Create(ctx, s.kind.object(s.key, w.owner, s.value), metav1.CreateOptions{})
	case updated:
		patch, encodeErr := json.Marshal(s.kind.content(s.value))
		if encodeErr != nil {
			return encodeErr
		}
		_, err = client.Patch(ctx, s.key.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	case deleted:
		err = client.Delete(ctx, s.key.Name, metav1.DeleteOptions{})
	default:
		panic(fmt.Sprintf("BUG: a writer cannot do %s", s.op))
	}
	return err
}
