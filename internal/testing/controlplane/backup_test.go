//go:build slow

package controlplane

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestABackupBringsBackWhatWas(t *testing.T) {
	p := ForTest(t, Options{})
	client := clientFor(t, p.Config())
	kept := create(t, client, "kept")
	backup, err := p.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lost := create(t, client, "lost")
	if err := client.CoreV1().ConfigMaps("default").Delete(t.Context(), "kept", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it can be restored as often as one likes
		if err := p.Restore(t.Context(), backup); err != nil {
			t.Fatal(err)
		}
		there, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
		if err != nil || there.UID != kept.UID || there.ResourceVersion != kept.ResourceVersion {
			t.Errorf("what was deleted after the backup is %v, with error %v, want %s at %s", there, err, kept.UID, kept.ResourceVersion)
		}
		if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), lost.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("what was created after the backup is there, or %v", err)
		}
		if now, err := p.revision(t.Context()); err != nil || now < backup.Revision || now > backup.Revision+50 {
			t.Errorf("the revision is %d, with error %v; that of the backup was %d", now, err, backup.Revision)
		}
	}
	other := &Plane{}
	if err := other.Restore(t.Context(), backup); err == nil {
		t.Error("another control plane took the backup")
	}
}
