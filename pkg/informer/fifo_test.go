package informer

import (
	"context"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func TestDeletionOfTheUnknownStillBringsItsVersion(t *testing.T) {
	f := NewDeltaFIFO(FIFOOptions[cell]{Traits: cellTraits})
	if err := f.Push(delta.Deleted, cell{name: "a/x", version: 7}, "7"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case <-f.ready:
	case <-ctx.Done():
		t.Fatal("nobody is told that there is a version to take out")
	}
	batch, err := f.Pop(ctx)
	if err != nil || batch.Len() != 0 || batch.version != "7" {
		t.Errorf("popped %d deltas up to version %q, %v", batch.Len(), batch.version, err)
	}
	f.Release()
}
