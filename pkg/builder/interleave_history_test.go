//go:build !race

package builder_test

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// moment is the one object at one version of the server: the label p, the datum q, and whose
// life it is. Life zero is none: there is no object.
type moment struct {
	p, q string
	life int
}

// The paths that a reconciler asks about.
const (
	pathP = `metadata.labels["p"]`
	pathQ = `data["q"]`
)

// at is the value at a path. An object that takes the place of another one is another value.
func (m moment) at(path string) string {
	value := m.p
	if path == pathQ {
		value = m.q
	}
	return fmt.Sprint(m.life, value)
}

// form is how an informer keeps the object.
type form int

const (
	whole form = iota
	metadataAlone
)

// history is what the object is at each version, in every form. The first version is 1.
type history struct {
	moments []moment
	objects [2][]client.Object // by form and version; also of one that is gone, as a deletion shows it
}

func newHistory(moments []moment) *history {
	h := &history{moments: moments}
	last := moment{}
	for i, m := range moments {
		if m.life == 0 {
			m = last
		}
		last = m
		about := metav1.ObjectMeta{
			Namespace: team, Name: "c", UID: types.UID(fmt.Sprint("life ", m.life)),
			ResourceVersion: strconv.Itoa(i + 1), Labels: map[string]string{"p": m.p},
		}
		h.objects[whole] = append(h.objects[whole], &corev1.ConfigMap{ObjectMeta: about, Data: map[string]string{"q": m.q}})
		h.objects[metadataAlone] = append(h.objects[metadataAlone], &metav1.PartialObjectMetadata{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: about,
		})
	}
	return h
}

// last is the newest version that there will be.
func (h *history) last() int { return len(h.moments) }

// there reports whether the object exists at a version. Version zero is before everything.
func (h *history) there(version int) bool { return version > 0 && h.moments[version-1].life > 0 }

func (h *history) object(f form, version int) any {
	if !h.there(version) {
		return nil
	}
	return h.objects[f][version-1]
}

// happening is how an informer tells of the way from one version to another.
type happening struct {
	from, to         int
	relisted, resync bool
	watch            int // that is told of it
}

// delta is the event as subscribers are told it. It reports false for an event that nobody
// is told of.
func (h *history) delta(e happening, f form) (*delta.Delta[any], bool) {
	d := &delta.Delta[any]{
		Key: delta.Key{Namespace: team, Name: "c"}, Version: strconv.Itoa(e.to), Relisted: e.relisted,
		Old: h.object(f, e.from), New: h.object(f, e.to),
	}
	was, is := h.there(e.from), h.there(e.to)
	switch {
	case e.resync:
		d.Op, d.Origin = delta.Sync, &delta.Origin{Resync: &delta.ResyncTerms{}}
		return d, is
	case was && is:
		d.Op = delta.Updated
	case is:
		d.Op, d.Initial = delta.Added, e.from == 0
	case was && e.relisted:
		d.Op, d.Missed, d.Relisted = delta.Deleted, true, false
	case was:
		d.Op, d.New = delta.Deleted, h.objects[f][e.to-1]
	}
	return d, (was || is) && e.from != e.to
}
