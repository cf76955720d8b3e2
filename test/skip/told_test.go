package skip

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// judgeTold checks everything that a call was told.
func (c *call) judgeTold() {
	c.judgeResync()
	if strings.Contains(c.told.Incomplete(), "by something that records no changes") {
		c.fail("%s says that something records no changes, but everything here does: %s", c, c.told)
	}
	if c.told.Complete() {
		c.judgeNews()
	}
}

// judgeResync checks that a resync is told as a resync, and looks at everything.
func (c *call) judgeResync() {
	c.mu.Lock()
	m := c.aboutLocked(c.request)
	owed := len(m.resyncs) > 0 && m.resyncs[0].Before(c.began.Add(-c.slack))
	c.mu.Unlock()
	if owed && c.told.Complete() && !c.told.Has(delta.Resync) {
		c.fail("%s was called for a resync and not told so: %s", c, c.told)
	}
	if c.told.Has(delta.Resync) && !c.told.Touches("metadata.name") {
		c.fail("%s was called for a resync, and may skip something: %s", c, c.told)
	}
}

// judgeNews checks that the call was told the newest state of each object, if a watch has
// shown it since the last success.
func (c *call) judgeNews() {
	told := c.toldVersions()
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.aboutLocked(c.request)
	for _, w := range c.watches {
		if w.route == viaTheirs || w.kind == c.odd { // the object or the form of these is not known
			continue
		}
		for _, id := range c.objects(w.kind) {
			s, ok := m.shown[shownBy{w.n, id}].newest(c.began.Add(-c.slack))
			if !ok || !s.at.After(m.success.Add(c.slack)) {
				continue
			}
			if got := told[toldOf{id, w.form}]; got < s.version {
				c.fail("%s was told %s at %d, although watch %d has shown it at %d since the last success: %s",
					c, id, got, w.n, s.version, c.tale())
			}
		}
	}
}

// toldOf names an object and the form in which it is told.
type toldOf struct {
	id   objectID
	form form
}

// toldVersions returns the newest version of each object that is told.
func (c *call) toldVersions() map[toldOf]int64 {
	newest := map[toldOf]int64{}
	for change := range c.told.All() {
		k, obj := kindOf(change.Kind), change.Object()
		if k == nil || obj == nil || change.Op == 0 {
			continue
		}
		var version int64
		if change.Op == delta.Deleted {
			version = c.gone(k, obj)
		} else {
			version = versionOf(obj)
		}
		of := toldOf{objectID{k, obj.GetNamespace(), obj.GetName()}, formOf(obj)}
		newest[of] = max(newest[of], version)
	}
	return newest
}

// formOf returns the form of an object.
func formOf(obj delta.Object) form {
	switch obj.(type) {
	case *metav1.PartialObjectMetadata:
		return metadataForm
	case *unstructured.Unstructured:
		return mapForm
	default:
		return typedForm
	}
}

// tale describes what a call was told, with versions.
func (c *call) tale() string {
	var words []string
	for change := range c.told.All() {
		version := func(obj delta.Object) string {
			if obj == nil {
				return ""
			}
			return obj.GetResourceVersion()
		}
		text := change.String()
		if change.Kind.Kind != "" {
			text += fmt.Sprintf(" (%s→%s)", version(change.Old), version(change.New))
		}
		words = append(words, text)
	}
	text := strings.Join(words, "; ")
	if !c.told.Complete() {
		text += " (incomplete: " + c.told.Incomplete() + ")"
	}
	return text
}
