package keyqueue

import "reflect"

// mustHash panics if a key cannot be hashed. Callers call it before they take the lock, so
// that the panic does not leave the queue locked.
func (q *Queue[K]) mustHash(keys ...K) {
	if !q.fickle {
		return
	}
	for _, key := range keys {
		q.schedule.table.hash(key)
	}
}

// mayNotHash reports whether K has values that cannot be hashed. Only a type that holds
// an interface does.
func mayNotHash[K comparable]() bool { return holdsInterface(reflect.TypeFor[K]()) }

func holdsInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return holdsInterface(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsInterface(t.Field(i).Type) {
				return true
			}
		}
	default:
	}
	return false
}
