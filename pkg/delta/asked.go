package delta

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

const (
	// maxAnswers is how many answers about paths are kept.
	maxAnswers = 4096
	// maxComplaints is how many paths that can't exist are logged.
	maxComplaints = 256
	// answerFor is how long an answer counts that may change with the schema.
	answerFor = time.Minute
)

// asked reads the paths that somebody asks about. It is not ok if one of them is wrong:
// no text of a path, or a field that none of the kinds has that could be meant.
func (c Changes) asked(texts []string) (paths []path.Path, ok bool) {
	kinds, ok := c.kinds(), true
	for _, text := range texts {
		field, err := c.facts.check(kinds, text)
		if err != nil {
			ok = false
			continue
		}
		paths = append(paths, field)
	}
	return paths, ok
}

// kinds are those that a path may be about: the one that was asked for, or else all that
// the controller watches; and those of the changes. Those that a Go type describes come
// first, because to ask for a schema costs more.
func (c Changes) kinds() (all []path.Kind) {
	add := func(obj Object, told schema.GroupVersionKind) {
		if obj = path.Present(obj); obj == nil {
			return
		}
		k := path.KindOf(obj)
		if k.GVK.Kind == "" {
			k.GVK = told
		}
		if !slices.ContainsFunc(all, k.Same) {
			all = append(all, k)
		}
	}
	for i := range c.list {
		add(c.list[i].Old, c.list[i].Kind)
		add(c.list[i].New, c.list[i].Kind)
	}
	switch {
	case c.about != nil:
		add(c.about, schema.GroupVersionKind{})
	case c.facts != nil:
		for _, k := range c.facts.listed {
			add(k.example, k.kind)
		}
	}
	slices.SortStableFunc(all, func(a, b path.Kind) int { return a.Cost() - b.Cost() })
	return all
}

// check reads a path and looks for it in some kinds. It is wrong if one of them is known
// not to have it, and none is known to have it: a kind that nothing is known about is not a
// reason to trust a path. A wrong path is logged, the first time.
func (f *facts) check(kinds []path.Kind, text string) (path.Path, error) {
	field, err := path.Parse(text)
	var wrong []*path.Error
	for _, k := range kinds {
		found, inKind := f.answer(k, text)
		if err == nil && found == path.CanExist {
			return field, nil
		}
		if e := (*path.Error)(nil); errors.As(inKind, &e) {
			wrong = append(wrong, e)
		}
	}
	if err == nil && len(wrong) > 0 {
		err = inNone(wrong)
	}
	if err != nil && f != nil && f.paths != nil {
		f.paths.complain(text, err)
	}
	return field, err
}

// inNone is the one error for several kinds that have no such field.
func inNone(wrong []*path.Error) *path.Error {
	best := *wrong[0]
	kinds := make([]string, len(wrong))
	for i, e := range wrong {
		kinds[i] = e.In
		if best.Meant == "" && e.Meant != "" {
			best = *e
		}
	}
	if last := len(kinds) - 1; last > 0 {
		best.In = strings.Join(kinds[:last], ", ") + " or " + kinds[last]
	}
	return &best
}

// answer is what a check of the path in one kind found, now or when it was asked before.
func (f *facts) answer(k path.Kind, text string) (path.Verdict, error) {
	if f == nil || f.paths == nil {
		var schemas diff.Schemas
		if f != nil {
			schemas = f.Schemas
		}
		_, found, err := k.Check(text, schemas)
		return found, err
	}
	asked := pathQuestion{k, text}
	known, ok := f.paths.get(asked)
	if !ok {
		_, found, err := k.Check(text, f.Schemas)
		known = pathAnswer{found: found, err: err, at: time.Now()}
		f.paths.put(asked, known)
	}
	return known.found, known.err
}

// pathChecks remember what was found out about paths, and which were complained about.
// They are for one controller.
type pathChecks struct {
	log logr.Logger

	mu      lock.Mutex[lock.PathChecks] // guards the maps; nothing is asked or logged under it
	answers map[pathQuestion]pathAnswer
	told    map[string]struct{} // the paths and kinds that were complained about
}

type pathQuestion struct {
	kind path.Kind
	text string
}

type pathAnswer struct {
	found path.Verdict
	err   error
	at    time.Time
}

func newPathChecks(log logr.Logger) *pathChecks {
	return &pathChecks{log: log, answers: map[pathQuestion]pathAnswer{}, told: map[string]struct{}{}}
}

// get returns an answer that still counts. A path that could exist once is never wrong, and
// a Go type does not change; but a schema may come to have a field.
func (c *pathChecks) get(asked pathQuestion) (pathAnswer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.answers[asked]
	return known, ok && (known.found == path.CanExist || !asked.kind.Untyped() || time.Since(known.at) < answerFor)
}

// put keeps an answer. When there are too many it forgets all of them, because to find
// them out again costs little.
func (c *pathChecks) put(asked pathQuestion, answer pathAnswer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) >= maxAnswers {
		clear(c.answers)
	}
	c.answers[asked] = answer
}

// watched returns an error if no watch of the controller shows the kind, and logs it once.
// Nothing would ever be told of the kind then, so that nothing can be ruled out.
func (f *facts) watched(kind schema.GroupVersionKind) error {
	if f.shows(kind) {
		return nil
	}
	err := fmt.Errorf("no watch of the controller shows %s: add one with Owns or Watches", path.Kind{GVK: kind})
	if f.paths != nil && f.paths.first(kind.String()) {
		f.paths.log.Error(err, "Changes of a kind were asked for that nobody tells; they are not complete", "kind", kind.Kind)
	}
	return err
}

// first reports whether nothing has been logged of this.
func (c *pathChecks) first(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.told[text]
	if known || len(c.told) >= maxComplaints {
		return false
	}
	c.told[text] = struct{}{}
	return true
}

// complain logs what is wrong with a path, unless it has been logged.
func (c *pathChecks) complain(text string, err error) {
	if !c.first(text) {
		return
	}
	what := "A path can't be read; it counts as touched"
	if e := (*path.Error)(nil); errors.As(err, &e) {
		what = "A path can't exist in the objects that were asked about; it counts as touched"
	}
	c.log.Error(err, what, "path", text)
}
