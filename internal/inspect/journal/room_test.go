package journal

import (
	"fmt"
	"testing"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// With many kinds and controllers the limit holds for the room of all entries, too.
func TestRoomIsBoundedHoweverManyKindsThereAre(t *testing.T) {
	const many, limit = 300, 1 << 20
	j := New(Limits{Bytes: limit})
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	for round := range 600 {
		for n := range many {
			d := j.Kind(fmt.Sprint("v1 Kind", n), corev1.SchemeGroupVersion.WithKind("Pod"))
			d.Begin()
			d.Add(&delta.Delta[any]{Op: delta.Added, Key: delta.Key{Namespace: "a", Name: "p"}, New: pod})
			d.End()
			j.Controller(fmt.Sprint("c", n)).Note(Call{Result: Success})
		}
		if round%100 == 99 {
			j.measure()
		}
	}
	var rooms int64
	for of := range classes {
		for _, d := range j.kindsNamed("") {
			rooms += int64(len(d.rows[of].entries.room)) * int64(unsafe.Sizeof(Entry{}))
		}
		for _, c := range j.controllersNamed("") {
			rooms += int64(len(c.rows[of].entries.room)) * int64(unsafe.Sizeof(Call{}))
		}
	}
	if least := int64(many) * leastRoom * int64(unsafe.Sizeof(Entry{})+unsafe.Sizeof(Call{})); rooms > 2*limit+least {
		t.Errorf("the entries have %d bytes of room, the limit is %d", rooms, limit)
	}
}
