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

// child is one object that the operator keeps for a Site.
type child[O client.Object, C configuration[C]] struct {
	kind, name string
	live       O                          // empty, to read into
	want       C                          // the fields that we decide about
	extract    func(O, string) (C, error) // returns the fields of an object that we own, with their values
	clear      func(O) bool               // removes what conflicts with the wanted fields; nil if nothing can
}

// put gives the child the wanted fields, if it does not have them already. The managed fields
// say what it has: if somebody else has changed a value, we do not own that field any more,
// so the difference shows. If there is no difference, put sends nothing, however often it is
// called.
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

// makeRoom removes what may have made the server refuse. The server merges such a list by its
// key. If somebody has changed the key of our element, the list keeps that element and gets
// ours as well, with the same name. An apply can't remove the other element, but a patch can.
func (c *child[O, C]) makeRoom(ctx context.Context, w *work, refused error) error {
	before, ok := c.live.DeepCopyObject().(O)
	if !ok || c.clear == nil || !c.clear(c.live) {
		return fmt.Errorf("apply %s %s/%s: %w", c.kind, w.site.Namespace, c.name, refused)
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	// The patch has another field manager, so that FieldManager owns only what is applied.
	if err := w.Patch(ctx, c.live, patch, client.FieldOwner(FieldManager+"-repair")); err != nil {
		return fmt.Errorf("make room in %s %s/%s: %w", c.kind, w.site.Namespace, c.name, err)
	}
	return nil
}

// never is a version that no object has.
const never = "1"

// create applies a child that does not exist. An apply has no precondition for that: if
// somebody has just created the object, the apply would merge with it and take it over. But
// an apply can name a version. Then the server refuses it for an object of another version,
// and ignores the version where there is no object.
func (c *child[O, C]) create(ctx context.Context, w *work) error {
	err := w.Apply(ctx, c.want.WithResourceVersion(never), client.FieldOwner(FieldManager))
	if err != nil {
		return fmt.Errorf("create %s %s/%s: %w", c.kind, w.site.Namespace, c.name, err)
	}
	w.wrote = append(w.wrote, c.kind+"/"+c.name)
	w.created++
	return nil
}
