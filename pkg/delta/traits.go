package delta

// Traits is what the core must know of a T. It lets store, queue and informer be
// generic without an interface that every T would have to satisfy.
type Traits[T any] struct {
	// Key names the object. An error means the object cannot be kept.
	Key func(T) (Key, error)
	// Version is the object's resource version: equal versions of one UID are the
	// same state. Empty means unknown, which is equal to nothing.
	Version func(T) string
	// UID tells an object from its namesake that was created after it was
	// deleted. Empty means unknown; unknown UIDs are taken to be the same.
	UID func(T) string
	// Labels are the object's labels. Nil where T has none.
	Labels func(T) map[string]string
	// Detach returns the object outside of the list that it came in, whose memory it
	// may be part of. Nil where T is never part of one.
	Detach func(T) T
}

// SameState reports whether a and b are one object in one state, so that
// replacing one by the other changes nothing.
func (t *Traits[T]) SameState(a, b T) bool {
	v := t.Version(a)
	return v != "" && v == t.Version(b) && t.UID(a) == t.UID(b)
}
