package delta

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// Manager is the field manager that made the change, and the last one if several did. It
// is empty where that is not known. It is advisory: an object's managers do not say who
// deleted it, a write that changed nothing leaves no trace, and times are kept in whole
// seconds, so that of several who wrote in the same second it can't always be said who
// was the last. A manager is not credited if its entry is not newer than in the old object.
func (c Change) Manager() string {
	if c.New == nil || ends(&c) {
		return ""
	}
	last := c.lastWrite()
	if last == nil || deletedSince(&c, last.Time) {
		return ""
	}
	return last.Manager
}

// lastWrite is the write that led to the new object, nil where it is not known. The
// object tells more than what was read off it, as long as it still has its entries.
func (c Change) lastWrite() *Origin {
	before := managedFieldsOf(c.Old)
	if len(managedFieldsOf(c.New)) > 0 {
		return c.newestEntry(before)
	}
	if c.Origin == nil || slices.ContainsFunc(before, c.Origin.wrote) {
		return nil
	}
	return c.Origin
}

func managedFieldsOf(obj Object) []metav1.ManagedFieldsEntry {
	if obj == nil {
		return nil
	}
	return obj.GetManagedFields()
}

// newestEntry finds the one entry of the new object that is of a later write than all
// that the old object has.
func (c Change) newestEntry(before []metav1.ManagedFieldsEntry) *Origin {
	latest, timed := path.LatestWrites(c.New)
	known := func(entry metav1.ManagedFieldsEntry) bool { return slices.ContainsFunc(before, sameWrite(&entry)) }
	if timed && len(latest) == 1 {
		if known(latest[0]) {
			return nil
		}
		return originOf(&latest[0])
	}
	if c.Old == nil || c.Deltas > 1 || c.Relisted { // there may have been several writes
		return nil
	}
	if !timed {
		latest = slices.DeleteFunc(slices.Clone(c.New.GetManagedFields()), func(entry metav1.ManagedFieldsEntry) bool {
			return entry.Time != nil && known(entry) // it lost fields to another
		})
	}
	// With one write in between, the writer's entry was not there. The others are as they were, or have lost fields.
	latest = slices.DeleteFunc(latest, func(entry metav1.ManagedFieldsEntry) bool {
		return slices.ContainsFunc(before, func(old metav1.ManagedFieldsEntry) bool { return sameEntry(&entry, &old) || hasLost(&entry, &old) })
	})
	if len(latest) != 1 {
		return nil
	}
	return originOf(&latest[0])
}

// deletedSince reports whether somebody asked for the deletion of the object, within this
// change, and not before the write. Such a request leaves no entry.
func deletedSince(c *Change, write time.Time) bool {
	end := c.New.GetDeletionTimestamp()
	if end == nil || c.Old != nil && end.Equal(c.Old.GetDeletionTimestamp()) {
		return false
	}
	asked := end.Time
	if grace := c.New.GetDeletionGracePeriodSeconds(); grace != nil {
		asked = asked.Add(-time.Duration(*grace) * time.Second)
	}
	return !write.After(asked)
}

// originOf is who made the entry, and when if it says so.
func originOf(entry *metav1.ManagedFieldsEntry) *Origin {
	origin := &Origin{Manager: entry.Manager, Operation: string(entry.Operation)}
	if entry.Time != nil {
		origin.Time = entry.Time.Time
	}
	return origin
}

// hasLost reports whether an entry has fewer fields than before. Without a look at what they are, it is shorter then.
func hasLost(entry, before *metav1.ManagedFieldsEntry) bool {
	return sameWrite(entry)(*before) && entry.FieldsV1 != nil && before.FieldsV1 != nil &&
		len(entry.FieldsV1.GetRawBytes()) < len(before.FieldsV1.GetRawBytes())
}

// wrote reports whether the entry is of the same write, as far as an Origin tells.
func (o *Origin) wrote(entry metav1.ManagedFieldsEntry) bool {
	return entry.Manager == o.Manager && string(entry.Operation) == o.Operation && entry.Time != nil && entry.Time.Time.Equal(o.Time)
}

// sameWrite says of an entry whether it is of the same write, as far as times tell.
func sameWrite(a *metav1.ManagedFieldsEntry) func(metav1.ManagedFieldsEntry) bool {
	return func(b metav1.ManagedFieldsEntry) bool {
		return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource &&
			a.APIVersion == b.APIVersion && a.Time.Equal(b.Time)
	}
}

func sameEntry(a, b *metav1.ManagedFieldsEntry) bool {
	return sameWrite(a)(*b) && (a.FieldsV1 == nil) == (b.FieldsV1 == nil) &&
		(a.FieldsV1 == nil || a.FieldsV1.Equal(*b.FieldsV1))
}
