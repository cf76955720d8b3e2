package manager_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/ledger/writes"
	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// ownStatus is a client whose Status is not its SubResource.
type ownStatus struct {
	client.Client
	asked int
}

func (c *ownStatus) Status() client.SubResourceWriter {
	c.asked++
	return c.Client.Status()
}

func TestTheStatusOfAUsersClientIsAsked(t *testing.T) {
	w := newWritten(t)
	to := &ownStatus{Client: w.Client}
	w.obj.Status.Replicas = 3
	if err := manager.RecordWrites(to, writes.New(0)).Status().Update(t.Context(), w.obj); err != nil || to.asked != 1 {
		t.Errorf("its Status was asked for %d times: %v", to.asked, err)
	}
	_, theirs := w.Client.Status().(client.SubResourceReader)
	if _, ours := manager.RecordWrites(to, writes.New(0)).Status().(client.SubResourceReader); ours != theirs {
		t.Errorf("the status can be read: %t, and of a client of controller-runtime's: %t", ours, theirs)
	}
}
