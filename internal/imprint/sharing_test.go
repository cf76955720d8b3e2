package imprint_test

import (
	"reflect"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
)

// TestWhatPodsShareIsThereOnce sees that Pods that are read have as many parts in memory as they had before, and not
// one for each Pod. TestSharing measures the heap, with the build tag slow.
func TestWhatPodsShareIsThereOnce(t *testing.T) {
	objs := cached(t, 2000)
	all, ends := records(t, objs)
	had, has := parts{}, parts{}
	for i, obj := range read(t, &corev1.Pod{}, all, ends) {
		had.add(reflect.ValueOf(objs[i]))
		has.add(reflect.ValueOf(obj))
	}
	saved, now := had.bytes(), has.bytes()
	if saved == 0 || float64(now) > float64(saved)*1.1 {
		t.Errorf("the Pods take %d bytes in %d places, and had taken %d in %d", now, len(has), saved, len(had))
	}
}

// parts are the places in memory that something leads to, with the bytes that are there.
type parts map[unsafe.Pointer]uintptr

func (p parts) bytes() (sum uintptr) {
	for _, size := range p {
		sum += size
	}
	return sum
}

// enter reports whether a place is a new one.
func (p parts) enter(at unsafe.Pointer, size uintptr) bool {
	if _, known := p[at]; known || at == nil || size == 0 {
		return false
	}
	p[at] = size
	return true
}

func (p parts) add(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		p.enter(unsafe.Pointer(unsafe.StringData(text)), uintptr(len(text)))
	case reflect.Struct:
		for i := range v.NumField() {
			p.add(v.Field(i))
		}
	case reflect.Pointer:
		if p.enter(v.UnsafePointer(), v.Type().Elem().Size()) {
			p.add(v.Elem())
		}
	case reflect.Interface:
		p.add(v.Elem())
	case reflect.Slice:
		if p.enter(v.UnsafePointer(), v.Type().Elem().Size()*uintptr(v.Cap())) {
			for i := range v.Len() {
				p.add(v.Index(i))
			}
		}
	case reflect.Map:
		if p.enter(v.UnsafePointer(), (v.Type().Key().Size()+v.Type().Elem().Size())*uintptr(v.Len())) {
			for key, value := range v.Seq2() {
				p.add(key)
				p.add(value)
			}
		}
	default:
	}
}
