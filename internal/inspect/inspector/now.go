package inspector

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	// mostAttention is how many things an answer names, and longestSummary how long the sentences about each are.
	mostAttention, longestSummary = 100, 1 << 10
	// brief is how long a request may fail until that is said, unless it fails again: most conflicts pass.
	brief = 5 * time.Second
	// longWait is how long a request may wait for a worker, and longCall how long a call may take, until that is said.
	longWait, longCall = 30 * time.Second, 5 * time.Minute
	// looksAt is how many calls under way are looked at, of each controller.
	looksAt = 20
)

// urgency has the words for what needs attention, the most urgent first.
var urgency = []string{"Kind", "Failing", "Loop", "Slow", "Waiting", "Unsettled"}

func (h *handler) now(c *call) (v1.Now, error) {
	controller, err := h.controller(c)
	if err != nil {
		return v1.Now{}, err
	}
	n := v1.Now{At: time.Now(), Program: h.subject.Program(), Past: h.subject.Past(controller)}
	all := slices.Concat(
		kindsInTrouble(h.subject.Kinds("").Items), failures(h.subject.Failing(), n.At), loops(h.subject.Loops().Items),
		waits(h.subject.Queues("", looksAt).Items, n.At), unsettled(h.subject.Controllers().Items))
	slices.SortStableFunc(all, func(a, b v1.Attention) int {
		return cmp.Compare(slices.Index(urgency, a.What), slices.Index(urgency, b.What))
	})
	n.Attention = append([]v1.Attention{}, all[:min(len(all), mostAttention)]...)
	if len(all) > mostAttention {
		n.Cut = fmt.Sprintf("%d of %d things that need attention are shown, the most urgent first.", mostAttention, len(all))
	}
	for i := range n.Attention {
		a := &n.Attention[i]
		a.Summary, a.Error = path.Cut(a.Summary, longestSummary), path.Cut(a.Error, longestSummary)
	}
	return n, nil
}

// kindsInTrouble are those that the cache does not follow, whose objects somebody has changed, or whose subscribers are slow.
func kindsInTrouble(kinds []v1.Kind) (all []v1.Attention) {
	for i := range kinds {
		k := &kinds[i]
		about := v1.Attention{What: "Kind", Kind: k.Name}
		switch {
		case !k.DegradedSince.IsZero():
			about.Since, about.Summary = k.DegradedSince, fmt.Sprintf("The server refuses %s: %s", k.Name, k.Why)
		case !k.DisconnectedSince.IsZero():
			about.Since, about.Summary = k.DisconnectedSince, fmt.Sprintf("The server is not heard about %s: %s", k.Name, k.Why)
		case !k.Synced:
			about.Since, about.Summary = k.Since, fmt.Sprintf("%s is not synced: %s", k.Name, k.Why)
		}
		if about.Summary != "" {
			all = append(all, about)
		}
		if k.Mutated != "" {
			all = append(all, v1.Attention{What: "Kind", Kind: k.Name, Summary: k.Mutated})
		}
		for j := range k.Subscribers {
			if s := &k.Subscribers[j]; s.Slow {
				all = append(all, v1.Attention{What: "Slow", Kind: k.Name, Since: s.InHandlerSince, Summary: fmt.Sprintf(
					"%s is slow: it is %d events of %s behind.", s.Name, s.Lag, k.Name)})
			}
		}
	}
	return all
}

// failures are the failing requests, those of one controller and one error together. Most requests come first.
func failures(failing []Failing, now time.Time) []v1.Attention {
	groups := map[[2]string][]Failing{}
	for _, f := range failing {
		if f.Times > 1 || now.Sub(f.Since) > brief {
			same := [2]string{f.Controller, kindOfError(&f)}
			groups[same] = append(groups[same], f)
		}
	}
	var all []v1.Attention
	for _, same := range slices.Collect(maps.Values(groups)) {
		slices.SortFunc(same, func(a, b Failing) int {
			return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
		})
		first := &same[0]
		summary := fmt.Sprintf("%s fails for %s, %d times in a row.", first.Controller, first.name(), first.Times)
		if len(same) > 1 {
			summary = fmt.Sprintf("%s fails for %d requests: %s.", first.Controller, len(same), few(same))
		}
		all = append(all, v1.Attention{
			What: "Failing", Summary: summary, Error: first.Error, Since: first.Since, Requests: len(same),
			Controller: first.Controller, Kind: first.Kind, Namespace: first.Namespace, Name: first.Name,
		})
	}
	slices.SortFunc(all, func(a, b v1.Attention) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), a.Since.Compare(b.Since), cmp.Compare(a.Summary, b.Summary))
	})
	return all
}

// varying is what differs in errors of one kind: what is quoted, and numbers.
var varying = regexp.MustCompile(`"[^"]*"|\b[0-9a-f]*[0-9][0-9a-f]*\b`)

// kindOfError is the error without what differs from request to request.
func kindOfError(f *Failing) string {
	names := regexp.MustCompile(`\b(` + regexp.QuoteMeta(f.name()) + `|` + regexp.QuoteMeta(f.Name) + `)\b`)
	return varying.ReplaceAllString(names.ReplaceAllString(f.Error, "…"), "…")
}

// few names the first of many.
func few(all []Failing) string {
	const most = 5
	var names []string
	for i := range all[:min(len(all), most)] {
		names = append(names, all[i].name())
	}
	if len(all) > most {
		names = append(names, fmt.Sprintf("and %d more", len(all)-most))
	}
	return strings.Join(names, ", ")
}

// name is how people write which object a request is about.
func (r *Request) name() string { return written(r.Namespace, r.Name) }

func written(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// loops are those that go on.
func loops(found []v1.Loop) (all []v1.Attention) {
	for i := range found {
		l := &found[i]
		if l.Over {
			continue
		}
		writers, do := strings.Join(l.Managers, " and "), "undo each other's writes of"
		if l.Pattern != "Fight" {
			writers, do = cmp.Or(writers, l.Controller), "is called again by its own writes of"
		}
		_, kind, _ := strings.Cut(l.Kind, " ") // without the version
		all = append(all, v1.Attention{
			What: "Loop", Controller: l.Controller, Kind: l.Kind, Namespace: l.ObjectNamespace, Name: l.ObjectName, Since: l.Since,
			Summary: fmt.Sprintf("%s %s %s in %s %s: %d rounds.", writers, do, strings.Join(l.Paths, ", "), kind,
				written(l.ObjectNamespace, l.ObjectName), l.Rounds),
		})
	}
	return all
}

// waits are the queues that nobody empties, and the calls that do not return.
func waits(queues []v1.Queue, now time.Time) (all []v1.Attention) {
	for i := range queues {
		q := &queues[i]
		if waited := time.Duration(q.OldestSeconds * float64(time.Second)); q.Ready > 0 && waited > longWait {
			all = append(all, v1.Attention{What: "Waiting", Controller: q.Controller, Requests: q.Ready, Since: now.Add(-waited),
				Summary: fmt.Sprintf("%d requests of %s wait for a worker, the first for %s.", q.Ready, q.Controller, waited.Round(time.Second))})
		}
		for j := range q.Items {
			if item := &q.Items[j]; !item.Working.IsZero() && now.Sub(item.Working) > longCall {
				all = append(all, v1.Attention{What: "Slow", Controller: q.Controller, Namespace: item.Namespace, Name: item.Name, Since: item.Working,
					Summary: fmt.Sprintf("A call of %s for %s has not returned.", q.Controller, written(item.Namespace, item.Name))})
			}
		}
	}
	return all
}

// unsettled are the controllers that have an advice for their author.
func unsettled(controllers []v1.Controller) (all []v1.Attention) {
	for i := range controllers {
		if c := &controllers[i]; c.Ledger.Advice != "" {
			all = append(all, v1.Attention{What: "Unsettled", Controller: c.Name, Summary: c.Name + ": " + c.Ledger.Advice})
		}
	}
	return all
}
