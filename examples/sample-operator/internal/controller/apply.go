package controller

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// configuration is what client-go's apply configurations have in common.
type configuration[C any] interface {
	runtime.ApplyConfiguration
	WithUID(types.UID) C
	WithResourceVersion(string) C
}

// child is one object that is kept for a Site.
type child[O client.Object, C configuration[C]] struct {
	kind, name string
	live       O                          // empty, to read into
	want       C                          // the fields that are ours to say
	extract    func(O, string) (C, error) // reads off an object which fields are ours, and what they say
	clear      func(O) bool               // takes out what can't stand beside what is wanted; nil if everything can
}

// put makes the child say what is wanted, if it does not already. What it says is read
// off the managed fields: a value that somebody else has changed is not ours any more,
// and that shows. So nothing is sent if nothing is to do, however often it is asked.
func (c *child[O, C]) put(ctx context.Context, w *work) error {
	key := client.ObjectKey{Namespace: w.site.Namespace, Name: c.name}
	err := w.Get(ctx, key, c.live)
	switch {
	case apierrors.IsNotFound(err):
		return c.create(ctx, w)
	case err != nil:
		return fmt.Errorf("read %s %s: %w", c.kind, key, err)
	case !metav1.IsControlledBy(c.live, w.site):
		return nil // it stays as it is, and the status says so
	}
	says, err := c.extract(c.live, FieldManager)
	if err != nil {
		return fmt.Errorf("read off %s %s which fields are ours: %w", c.kind, key, err)
	}
	if equality.Semantic.DeepEqual(says, c.want) {
		return nil
	}
	err = c.apply(ctx, w)
	if apierrors.IsInvalid(err) {
		if err := c.makeRoom(ctx, w, err); err != nil {
			return err
		}
		err = c.apply(ctx, w)
	}
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", c.kind, key, err)
	}
	w.wrote = append(w.wrote, c.kind+"/"+c.name)
	return nil
}

// apply changes the child. The UID makes the server refuse if the object has been
// replaced since it was read.
func (c *child[O, C]) apply(ctx context.Context, w *work) error {
	return w.Apply(ctx, c.want.WithUID(c.live.GetUID()), client.FieldOwner(FieldManager), client.ForceOwnership)
}

// makeRoom removes what may have made the server refuse. A list that is a map by a key is
// merged by that key, so where somebody has changed the key, theirs is kept beside ours,
// under the same name. Who applies can't take it away; who patches can.
func (c *child[O, C]) makeRoom(ctx context.Context, w *work, refused error) error {
	before, ok := c.live.DeepCopyObject().(O)
	if !ok || c.clear == nil || !c.clear(c.live) {
		return fmt.Errorf("apply %s %s/%s: %w", c.kind, w.site.Namespace, c.name, refused)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	// Under another name, so that what is applied stays all that FieldManager has.
	if err := w.Patch(ctx, c.live, patch, client.FieldOwner(FieldManager+"-repair")); err != nil {
		return fmt.Errorf("make room in %s %s/%s: %w", c.kind, w.site.Namespace, c.name, err)
	}
	return nil
}

// never is a version that no object has.
const never = "1"

// create applies a child that does not exist. Apply has no precondition for that: over
// an object that somebody has just created it would merge, and take it over. But one
// that says over which version it is to be is refused by an object of any other, and
// the version goes for nothing where there is no object.
func (c *child[O, C]) create(ctx context.Context, w *work) error {
	err := w.Apply(ctx, c.want.WithResourceVersion(never), client.FieldOwner(FieldManager))
	if err != nil {
		return fmt.Errorf("create %s %s/%s: %w", c.kind, w.site.Namespace, c.name, err)
	}
	w.wrote = append(w.wrote, c.kind+"/"+c.name)
	w.created++
	return nil
}
