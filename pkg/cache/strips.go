package cache

import (
	"reflect"
	"runtime"
	"strconv"

	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
)

// putsNothing reports whether no transform puts anything into an object, or makes another one of it: what we decoded
// is what the store has, so that others may share with it, and its version is the one that the server sent. Any other
// transform may keep what it returns, and return what it keeps.
//
// One that puts nothing into an object is controller-runtime's TransformStripManagedFields, which most operators have:
// what it changes is the metadata, which objects of two versions never share. It is known by where it is written,
// because a compiler may make several functions of it.
func putsNothing(transform toolscache.TransformFunc) bool {
	return transform == nil || writtenAt(transform) == stripping
}

var stripping = writtenAt(crcache.TransformStripManagedFields())

// sourceLine is a line of a program's source.
type sourceLine struct {
	file string
	line int
}

// String is the place as compilers write it.
func (l sourceLine) String() string { return l.file + ":" + strconv.Itoa(l.line) }

// writtenAt returns where a function begins.
func writtenAt(f toolscache.TransformFunc) sourceLine {
	entry := reflect.ValueOf(f).Pointer()
	file, line := runtime.FuncForPC(entry).FileLine(entry)
	return sourceLine{file, line}
}
