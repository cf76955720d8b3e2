package cache

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// String is what is set, as it is called in the options.
func (k kindSettings) String() string {
	if k.namespaces == nil {
		return k.settings.String()
	}
	all := make([]string, 0, len(k.namespaces))
	for _, namespace := range slices.Sorted(maps.Keys(k.namespaces)) {
		all = append(all, fmt.Sprintf("%q: {%s}", namespace, k.namespaces[namespace]))
	}
	return strings.TrimSuffix("Namespaces: {"+strings.Join(all, ", ")+"}, "+k.settings.String(), ", ")
}

// String is what is set, as it is called in the options. Transforms that are written at the same place look the same.
func (s settings) String() string {
	var said []string
	say := func(set bool, option string, value func() any) {
		if set {
			said = append(said, fmt.Sprintf("%s: %v", option, value()))
		}
	}
	say(s.labels != nil, "Label", func() any { return labelText(s.labels) })
	say(s.fields != nil, "Field", func() any { return fmt.Sprintf("%q", s.fields) })
	say(s.transform != nil, "Transform", func() any { return writtenAt(s.transform) })
	say(s.share != nil, "UnsafeDisableDeepCopy", func() any { return *s.share })
	say(s.bookmarks != nil, "EnableWatchBookmarks", func() any { return *s.bookmarks })
	say(s.resync != nil, "SyncPeriod", func() any { return *s.resync })
	say(s.missing != 0, "Missing", func() any { return s.missing })
	say(s.unchanged != nil, "ShowUnchanged", func() any { return *s.unchanged })
	say(s.duplicates != nil, "ShareDuplicates", func() any { return *s.duplicates })
	say(s.plainly != nil, "ClientGoDecodes", func() any { return *s.plainly })
	say(!timetable.Same(s.policy, resync.Policy{}), "Resync", func() any { return fmt.Sprintf("%+v", s.policy) })
	say(s.reflector != (informer.Settings{}), "Reflector", func() any { return fmt.Sprintf("%+v", s.reflector) })
	return strings.Join(said, ", ")
}

// labelText is a selector as it is written. That of nothing has no text of its own.
func labelText(selector labels.Selector) string {
	if _, selectable := selector.Requirements(); !selectable {
		return "nothing"
	}
	return fmt.Sprintf("%q", selector)
}
