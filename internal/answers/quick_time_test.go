//go:build slow

package answers

import (
	"testing"
	"time"
)

// TestWhyIsQuickAmongMany asks why of one Pod among many, with a journal that is full.
func TestWhyIsQuickAmongMany(t *testing.T) {
	o, key := operatorOfMany(t)
	began := time.Now()
	why, err := o.Why("v1 Pod", key.Namespace, key.Name)
	took := time.Since(began)
	if err != nil || !why.Cached {
		t.Fatalf("why answers %+v, %v", why, err)
	}
	if took > time.Second {
		t.Errorf("why takes %v, want less than a second", took)
	}
	t.Logf("why takes %v among %d Pods", took, many)
}
