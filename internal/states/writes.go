package states

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// LastWrite returns the entry of the managed fields that was written last. It returns nil where
// they do not tell: they were stripped, several wrote in the same second, or one left no time.
func LastWrite(obj metav1.Object) *metav1.ManagedFieldsEntry {
	latest, timed := LatestWrites(obj)
	if !timed || len(latest) != 1 {
		return nil
	}
	return &latest[0]
}

// LatestWrites returns the entries of the newest second, and whether every entry has a
// time. Who scales a custom resource leaves none, and may have been the last as well.
func LatestWrites(obj metav1.Object) (latest []metav1.ManagedFieldsEntry, timed bool) {
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
