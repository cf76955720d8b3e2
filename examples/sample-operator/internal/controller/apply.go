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
	GetName() *string
	WithUID(types.UID) C
	WithResourceVersion(string) C
}

// child is one object that the operator keeps for a Site.
type child[O client.Object, C configuration[C]] struct {
	kind    string
	live    O                          // empty, to read into
	want    C                          // the fields that we decide about
	extract func(O, string) (C, error) // returns the fields of an object that we own, with their values
	clear   func(O) bool               // removes what conflicts with the wanted fields; nil if nothing can
}

// put gives the child the wanted fields, and notes that it did.
func (c *child[O, C]) put(ctx context.Context, w *work) error {
	name := c.kind + "/" + *c.want.GetName()
	changed, err := c.write(ctx, w)
	if err != nil {
		return fmt.Errorf("keep %s of namespace %s: %w", name, w.site.Namespace, err)
	}
	if changed {
		w.wrote = append(w.wrote, name)
	}
	return nil
}

// write gives the child the wanted fields, if it does not have them already. The managed
// fields say what it has: if somebody else has changed a value, we do not own that field any
// more, so the difference shows. If there is no difference, write sends nothing, however often
// it is called.
func (c *child[O, C]) write(ctx context.Context, w *work) (changed bool, err error) {
	err = w.Get(ctx, client.ObjectKey{Namespace: w.site.Namespace, Name: *c.want.GetName()}, c.live)
	switch {
	case apierrors.IsNotFound(err):
		// An apply has no precondition for a creation: if somebody has just created the object, the
		// apply would merge with it and take it over. But an apply can name a version, here one that no
		// object has. Then the server refuses it for any object, and ignores it where there is none.
		if err = w.Apply(ctx, c.want.WithResourceVersion("1"), client.FieldOwner(FieldManager)); err == nil {
			w.created++
		}
		return true, err
	case err != nil || !metav1.IsControlledBy(c.live, w.site):
		return false, err // what is somebody else's stays as it is, and the status says so
	}
	says, err := c.extract(c.live, FieldManager)
	if err != nil || equality.Semantic.DeepEqual(says, c.want) {
		return false, err
	}
	c.want.WithUID(c.live.GetUID()) // the server refuses if the object has been replaced since it was read
	err = w.Apply(ctx, c.want, client.FieldOwner(FieldManager), client.ForceOwnership)
	if apierrors.IsInvalid(err) {
		if err := c.makeRoom(ctx, w, err); err != nil {
			return false, err
		}
		err = w.Apply(ctx, c.want, client.FieldOwner(FieldManager), client.ForceOwnership)
	}
	return true, err
}

// makeRoom removes what may have made the server refuse. The server merges such a list by its
// key. If somebody has changed the key of our element, the list keeps that element and gets
// ours as well, with the same name. An apply can't remove the other element, but a patch can.
func (c *child[O, C]) makeRoom(ctx context.Context, w *work, refused error) error {
	before, ok := c.live.DeepCopyObject().(O)
	if !ok || c.clear == nil || !c.clear(c.live) {
		return refused
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	// The patch has another field manager, so that FieldManager owns only what is applied.
	return w.Patch(ctx, c.live, patch, client.FieldOwner(FieldManager+"-repair"))
}
