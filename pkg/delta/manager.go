package delta

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Manager is the field manager that last wrote the object, and is empty where that
// is not known. It is advisory: an object's managers do not say who deleted it, a write
// that changed nothing leaves no trace, and times are kept in whole seconds, so that of
// several who wrote in the same second it can't always be said who was the last.
func (c Change) Manager() string {
	if c.Origin != nil {
		return c.Origin.Manager
	}
	if c.New == nil || ends(&c) {
		return ""
	}
	latest, timed := latestWrites(c.New)
	if timed && len(latest) == 1 {
		return latest[0].Manager
	}
	if c.Old == nil || c.Deltas > 1 {
		return ""
	}
	if !timed {
		latest = slices.DeleteFunc(slices.Clone(c.New.GetManagedFields()), func(entry metav1.ManagedFieldsEntry) bool {
			return entry.Time != nil && slices.ContainsFunc(c.Old.GetManagedFields(), sameWrite(&entry)) // it lost fields to another
		})
	}
	latest = slices.DeleteFunc(latest, func(entry metav1.ManagedFieldsEntry) bool { // with one write in between, it is the one that was not there
		return slices.ContainsFunc(c.Old.GetManagedFields(), func(old metav1.ManagedFieldsEntry) bool { return sameEntry(&entry, &old) })
	})
	if len(latest) != 1 {
		return ""
	}
	return latest[0].Manager
}

// LastWrite says by its managed fields who last wrote an object. It is nil where they
// do not tell: they were stripped, several wrote in the same second, or one left no time.
func LastWrite(obj Object) *Origin {
	latest, timed := latestWrites(obj)
	if !timed || len(latest) != 1 {
		return nil
	}
	return &Origin{Manager: latest[0].Manager, Operation: string(latest[0].Operation), Time: latest[0].Time.Time}
}

// latestWrites returns the entries of the newest second, and whether every entry has a
// time. Who scales a custom resource leaves none, and may have been the last as well.
func latestWrites(obj Object) (latest []metav1.ManagedFieldsEntry, timed bool) {
	timed = true
	for _, entry := range obj.GetManagedFields() {
		switch {
		case entry.Time == nil:
			timed = false
		case len(latest) == 0 || entry.Time.After(latest[0].Time.Time):
			latest = append(latest[:0], entry)
		case entry.Time.Equal(latest[0].Time):
			latest = append(latest, entry)
		}
	}
	return latest, timed
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
