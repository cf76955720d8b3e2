package differential

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// allowed is an intended difference between errors. If a pattern has a group, our error has
// to contain the text of the group, too.
type allowed struct {
	because string
	theirs  string // a pattern of the whole text
	ours    string // the same; empty for no error at all
	class   string // a pattern of the class of our error; empty if it has the class of theirs
}

// differences are all that is allowed. Anything else is a bug.
var differences = []allowed{
	{
		because: "ours also says why the kind is not synced, and what to do about it",
		theirs:  `(Timeout: failed waiting for \S+ Informer to sync)`,
		ours:    `Timeout: failed waiting for \S+ Informer to sync: .+`,
	},
	{
		because: "with several namespaces, theirs looks at the continue token first, and ours at it last",
		theirs:  `continue list option is not supported by the cache`,
		ours:    `the cache is not started, can not read objects|.+ is not cached|Timeout: .+|no matches for kind .+|no kind ".+" is registered for version ".+" in scheme ".+"|no kind is registered for the type .+ in scheme ".+"`,
		class:   `not started|not cached: .+|status 504 Timeout, of   |no match for .+|not registered`,
	},
	{
		because: "ours says the same of the first and of the second of several fields",
		theirs:  `i(ndex with name field:\S+ does not exist)`,
		ours:    `Index with name \S+ does not exist`,
	},
	{
		because: "ours goes on with why",
		theirs:  `(unable to (?:get|list): .* because of unknown namespace for the cache)`,
		ours:    `.+ because of unknown namespace for the cache: .+: not covered by any scope`,
	},
	{
		because: "where a read is wrong in two ways, ours looks at the kind first and at the namespace last",
		theirs:  `unable to (?:get|list): .* because of unknown namespace for the cache`,
		ours:    `the cache is not started, can not read objects|.+ is not cached|Timeout: .+|Index with name \S+ does not exist|non-exact field matches .+`,
		class:   `not started|not cached: .+|status 504 Timeout, of   |of no special type`,
	},
	{
		because: "with several namespaces, theirs needs the resource for what ours answers without it",
		theirs:  `failed to get restmapping: no matches for kind ".+" in version ".+"`,
		ours:    `.+ is not cached|no kind ".+" is registered for version ".+" in scheme ".+"`,
		class:   `not cached: .+|not registered`,
	},
	{
		because: "with several namespaces, theirs looks for the resource of the list; ours always for that of its items",
		theirs:  `failed to get restmapping: (no matches for kind ".+?)(?:List)?" in version ".+"`,
		ours:    `no matches for kind ".+" in version ".+"`,
		class:   `no match for .+`,
	},
	{
		because: "to remove what is not there is no error; with one namespace theirs agrees",
		theirs:  `failed to get restmapping: no matches for kind ".+" in version ".+"`,
	},
}

// compareErrors returns how the errors differ, unless that is allowed.
func compareErrors(theirs, ours error) string {
	if theirs == nil && ours == nil {
		return ""
	}
	if theirs != nil && ours != nil && class(theirs) == class(ours) && theirs.Error() == ours.Error() {
		return ""
	}
	for _, d := range differences {
		if d.allows(theirs, ours) {
			return ""
		}
	}
	return "the errors differ"
}

func (d allowed) allows(theirs, ours error) bool {
	if theirs == nil || (ours == nil) != (d.ours == "") {
		return false
	}
	found := whole(d.theirs).FindStringSubmatch(theirs.Error())
	if found == nil || ours == nil {
		return found != nil
	}
	of := d.class
	if of == "" {
		of = regexp.QuoteMeta(class(theirs))
	}
	if !whole(d.ours).MatchString(ours.Error()) || !whole(of).MatchString(class(ours)) {
		return false
	}
	for _, part := range found[1:] {
		if !strings.Contains(ours.Error(), part) {
			return false
		}
	}
	return true
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }

// readsUnread is an intended difference of answers: with several fields, theirs looks for the
// second index only if the first one has an object. Ours notices a missing index whatever
// objects there are.
func readsUnread(theirs, ours answer) bool {
	if theirs.err != nil || ours.err == nil || !missingIndex.MatchString(ours.err.Error()) {
		return false
	}
	if theirs.list == nil {
		return strings.HasPrefix(theirs.fact, "0 of 0,")
	}
	_, items, err := itemsOf(theirs.list)
	return err == nil && len(items) == 0
}

var missingIndex = regexp.MustCompile(`^Index with name \S+ does not exist$`)

// class is the class of an error that a caller can see without its text.
func class(err error) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		s := status.Status()
		add("status %d %s", s.Code, s.Reason)
		if s.Details != nil {
			add("of %s %s %s", s.Details.Group, s.Details.Kind, s.Details.Name)
		}
	}
	var noKind *meta.NoKindMatchError
	if errors.As(err, &noKind) {
		add("no match for %v %v", noKind.GroupKind, noKind.SearchedVersions)
	}
	var noResource *meta.NoResourceMatchError
	if errors.As(err, &noResource) {
		add("no match for %v", noResource.PartialResource)
	}
	var discovery *apiutil.ErrResourceDiscoveryFailed
	if errors.As(err, &discovery) {
		add("discovery failed")
	}
	var notCached *crcache.ErrResourceNotCached
	if errors.As(err, &notCached) {
		add("not cached: %v", notCached.GVK)
	}
	var notStarted *crcache.ErrCacheNotStarted
	if errors.As(err, &notStarted) {
		add("not started")
	}
	for _, is := range []struct {
		name string
		that bool
	}{
		{"not registered", runtime.IsNotRegisteredError(err)},
		{"missing kind", runtime.IsMissingKind(err)},
		{"missing version", runtime.IsMissingVersion(err)},
		{"canceled", errors.Is(err, context.Canceled)},
		{"deadline exceeded", errors.Is(err, context.DeadlineExceeded)},
	} {
		if is.that {
			add("%s", is.name)
		}
	}
	if len(parts) == 0 {
		return "of no special type"
	}
	return strings.Join(parts, ", ")
}
