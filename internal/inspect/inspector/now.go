package inspector

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostAttention is how many things an answer names, and longestSummary how long the sentences about each are.
	mostAttention, longestSummary = 100, 1 << 10
	// brief is how long a request may fail, or a kind may list, until that is said: most conflicts pass. One that fails again is said.
	brief = 5 * time.Second
	// longWait is how long a request may wait for a worker, and LongCall how long a call may take, until that is said.
	longWait, LongCall = 30 * time.Second, 5 * time.Minute
)

// urgency has the words for what needs attention, the most urgent first.
var urgency = []string{"Kind", "Failing", "Loop", "Slow", "Waiting", "Unsettled"}

func (h *handler) now(c *call) (v1.Now, error) {
	n := v1.Now{At: time.Now(), Program: h.subject.Program(), Past: h.subject.Past(c.query.texts["controller"])}
	health, found := h.subject.Health(), h.subject.Loops()
	all := slices.Concat(kindsInTrouble(&health, n.At), failures(health.Failing, n.At), loops(found.Items), controllersInTrouble(health.Controllers, n.At))
	slices.SortStableFunc(all, func(a, b v1.Attention) int {
		return cmp.Compare(slices.Index(urgency, a.What), slices.Index(urgency, b.What))
	})
	n.Cut = found.Cut
	n.Attention = append([]v1.Attention{}, all[:min(len(all), mostAttention)]...)
	if len(all) > mostAttention {
		n.Cut = strings.TrimSpace(n.Cut + fmt.Sprintf(" %d of %d things that need attention are shown, the most urgent first.", mostAttention, len(all)))
	}
	for i := range n.Attention {
		a := &n.Attention[i]
		for _, text := range []*string{&a.Summary, &a.Namespace, &a.Name} {
			*text = path.Cut(*text, longestSummary)
		}
		a.Error = path.Ends(a.Error, longestSummary)
	}
	return n, nil
}

// kindsInTrouble are those that the cache does not follow, whose objects somebody has changed, or whose subscribers are slow.
func kindsInTrouble(health *Health, now time.Time) (all []v1.Attention) {
	if !health.Runs {
		all = append(all, v1.Attention{What: "Kind", Summary: "The cache does not run: it has not started yet, or it has ended."})
	}
	var unheard []*KindHealth
	for i := range health.Kinds {
		k := &health.Kinds[i]
		about := v1.Attention{What: "Kind", Kind: k.Name, Error: k.LastError}
		switch {
		case !k.DegradedSince.IsZero():
			about.Since, about.Summary = k.DegradedSince, fmt.Sprintf("%s can't be read%s", k.Name, behind(k.Why))
		case !k.DisconnectedSince.IsZero():
			unheard = append(unheard, k)
		case !k.Synced && k.State != "Idle" && (k.LastError != "" || now.Sub(k.Since) > brief): // nobody waits for an idle one
			about.Since, about.Summary = k.Since, fmt.Sprintf("%s is not synced%s", k.Name, behind(k.Why))
		}
		if about.Summary != "" {
			all = append(all, about)
		}
		if k.Mutated != "" {
			all = append(all, v1.Attention{What: "Kind", Kind: k.Name, Summary: k.Mutated})
		}
		for j := range k.Subscribers {
			if s := &k.Subscribers[j]; s.Slow {
				all = append(all, v1.Attention{What: "Slow", Kind: k.Name, Since: now.Add(-time.Duration(s.LagSeconds * float64(time.Second))),
					Summary: fmt.Sprintf("%s is slow: it is %d events of %s behind.", s.Name, s.Lag, k.Name)})
			}
		}
	}
	return append(all, disconnected(unheard)...)
}

// disconnected puts the kinds together that are not heard for one reason: mostly the server is away for all of them.
func disconnected(kinds []*KindHealth) (all []v1.Attention) {
	var reasons []string
	groups := map[string][]*KindHealth{}
	for _, k := range kinds {
		if groups[k.Same] == nil {
			reasons = append(reasons, k.Same)
		}
		groups[k.Same] = append(groups[k.Same], k)
	}
	for _, reason := range reasons {
		same := groups[reason]
		first := slices.MinFunc(same, func(a, b *KindHealth) int { return a.DisconnectedSince.Compare(b.DisconnectedSince) })
		about := v1.Attention{What: "Kind", Since: first.DisconnectedSince, Error: first.LastError}
		var names []string
		for _, k := range same {
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
		if len(names) == 1 {
			about.Kind, about.Summary = first.Name, fmt.Sprintf("No word from the API server about %s%s", first.Name, behind(first.Why))
		} else {
			about.Summary = fmt.Sprintf("No word from the API server about %d kinds: %s.", len(names), few(names))
		}
		all = append(all, about)
	}
	return all
}

// behind is the end of a sentence with what else there is to know.
func behind(why string) string {
	if why == "" {
		return "."
	}
	return ": " + strings.TrimSuffix(why, ".") + "."
}

// few are the first of some names, and how many more there are.
func few(names []string) string {
	const most = 5
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

// failures are the failing requests, those of one controller and one reason together. Most requests come first.
func failures(failing []Failing, now time.Time) []v1.Attention {
	groups := map[[2]string][]Failing{}
	for _, f := range failing {
		if f.Times > 1 || now.Sub(f.Since) > brief {
			same := [2]string{f.Controller, f.Same}
			groups[same] = append(groups[same], f)
		}
	}
	var all []v1.Attention
	for _, same := range groups {
		slices.SortFunc(same, func(a, b Failing) int {
			return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
		first := &same[0]
		all = append(all, v1.Attention{
			What: "Failing", Summary: failure(same) + nextTry(same, now), Error: first.Error, Since: first.Since, Requests: len(same),
			Controller: first.Controller, Kind: first.Kind, Namespace: first.Namespace, Name: first.Name,
		})
	}
	slices.SortFunc(all, func(a, b v1.Attention) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.Since.Compare(b.Since), cmp.Compare(a.Summary, b.Summary))
	})
	return all
}

// failure says which requests fail.
func failure(same []Failing) string {
	first, atLeast := &same[0], ""
	switch {
	case len(same) > 1 && first.More:
		atLeast = "at least "
	case len(same) == 1 && first.Times == 1:
		return fmt.Sprintf("%s fails for %s.", first.Controller, first.name())
	case len(same) == 1:
		return fmt.Sprintf("%s fails for %s, %d times in a row.", first.Controller, first.name(), first.Times)
	}
	var names []string
	for i := range same {
		names = append(names, same[i].name())
	}
	return fmt.Sprintf("%s fails for %s%d requests: %s.", first.Controller, atLeast, len(same), few(names))
}

// nextTry says when the first of failing requests is tried again, if that is known of all, and worth a wait.
func nextTry(same []Failing, now time.Time) string {
	next := slices.MinFunc(same, func(a, b Failing) int { return a.Next.Compare(b.Next) }).Next
	if rest := next.Sub(now); rest > time.Second {
		return fmt.Sprintf(" Next try in %s.", rest.Round(time.Second))
	}
	return ""
}

// name is how people write which object a request is about.
func (r *Request) name() string { return written(r.Namespace, r.Name) }

func written(namespace, name string) string {
	if namespace == "" {
		return cmp.Or(name, "a request without a name")
	}
	return namespace + "/" + name
}

// loops are those that go on. Of one object there is one, whichever requests are called for it.
func loops(found []v1.Loop) []v1.Attention {
	var all []v1.Attention
	groups := map[string][]v1.Loop{}
	for _, l := range found {
		if !l.Over {
			who, _ := writing(&l)
			of := strings.Join([]string{who, l.Pattern, l.Kind, l.ObjectNamespace, l.ObjectName}, "\n")
			groups[of] = append(groups[of], l)
		}
	}
	for _, same := range groups {
		all = append(all, loop(same))
	}
	slices.SortFunc(all, func(a, b v1.Attention) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Summary, b.Summary))
	})
	return all
}

// loop puts together what is known of one.
func loop(same []v1.Loop) v1.Attention {
	first, requests := same[0], map[Request]bool{}
	var paths []string
	for i := range same {
		l := &same[i]
		requests[Request{l.Controller, l.Namespace, l.Name}] = true
		paths = append(paths, l.Paths...)
		if first.Rounds = max(first.Rounds, l.Rounds); l.Since.Before(first.Since) {
			first.Since = l.Since
		}
	}
	slices.Sort(paths)
	who, does := writing(&first)
	_, kind, _ := strings.Cut(first.Kind, " ") // without the version
	upTo := ""
	if len(requests) > 1 {
		upTo = fmt.Sprintf("in %d requests, up to ", len(requests))
	}
	summary := fmt.Sprintf("%s %s %s in %s %s: %s%d rounds.", who, does, strings.Join(slices.Compact(paths), ", "), kind,
		written(first.ObjectNamespace, first.ObjectName), upTo, first.Rounds)
	return v1.Attention{
		What: "Loop", Summary: summary, Since: first.Since, Requests: len(requests),
		Controller: first.Controller, Kind: first.Kind, Namespace: first.ObjectNamespace, Name: first.ObjectName,
	}
}

// writing says who does what again and again.
func writing(l *v1.Loop) (who, does string) {
	if l.Pattern == "Fight" {
		return cmp.Or(strings.Join(l.Managers, " and "), "two writers"), "undo each other's writes of"
	}
	return l.Controller, "is called again and again for the operator's own writes of"
}

// controllersInTrouble are those whose queue nobody empties, whose calls do not return, and that have an advice for their author.
func controllersInTrouble(controllers []ControllerHealth, now time.Time) (all []v1.Attention) {
	for i := range controllers {
		c := &controllers[i]
		if c.Ready > 0 && c.Waited > longWait {
			waits := fmt.Sprintf("%d requests of %s wait for a worker, the first for %s.", c.Ready, c.Name, c.Waited.Round(time.Second))
			if c.Unserved {
				waits = fmt.Sprintf("%s has not started: it waits until all that it watches is synced, and %d requests wait for it.", c.Name, c.Ready)
			}
			all = append(all, v1.Attention{What: "Waiting", Controller: c.Name, Requests: c.Ready, Since: now.Add(-c.Waited), Summary: waits})
		}
		if c.Longest > LongCall {
			which := ""
			if c.Request != (Request{}) {
				which = " for " + c.Request.name()
			}
			all = append(all, v1.Attention{What: "Slow", Controller: c.Name, Namespace: c.Request.Namespace, Name: c.Request.Name, Since: now.Add(-c.Longest),
				Summary: fmt.Sprintf("A call of %s%s has not returned.", c.Name, which)})
		}
		if c.Advice != "" {
			all = append(all, v1.Attention{What: "Unsettled", Controller: c.Name, Summary: c.Name + ": " + c.Advice})
		}
	}
	return all
}
