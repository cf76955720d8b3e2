package answers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Kinds is the [inspector.Subject]'s.
func (o *Operator) Kinds(only string) v1.KindList {
	all, t := v1.KindList{At: time.Now()}, o.telling()
	kinds := slices.DeleteFunc(slices.Clone(o.kinds()), func(k observe.Kind) bool { return only != "" && k.Name != only })
	for i := range kinds {
		if k, ok := t.kindOf(&kinds[i]); ok {
			all.Items = append(all.Items, k)
		}
	}
	unmade := slices.DeleteFunc(o.unmade(), func(u observe.Unmade) bool { return only != "" && u.Name != only })
	for i := range unmade {
		if k := unmadeOf(&unmade[i]); t.fits(&k) {
			all.Items = append(all.Items, k)
		}
	}
	all.Cut = cut(len(all.Items), len(kinds)+len(unmade))
	return all
}

func unmadeOf(u *observe.Unmade) v1.Kind {
	r := &u.Status
	return v1.Kind{
		Name: u.Name, Group: u.GVK.Group, Version: u.GVK.Version, Kind: u.GVK.Kind, State: r.State, Since: r.Since,
		DegradedSince: r.DegradedSince, DisconnectedSince: r.DisconnectedSince, LastError: errorText(r.LastError), Why: path.Ends(r.Why, longestError),
	}
}

func (t *telling) kindOf(k *observe.Kind) (shown v1.Kind, ok bool) {
	s, counts := k.Informer.Status(), k.Informer.Counts()
	shown = v1.Kind{
		Name: k.Name, Group: k.GVK.Group, Version: k.GVK.Version, Kind: k.GVK.Kind,
		Synced: s.Synced, State: s.Reflector.State, Since: s.Reflector.Since,
		ResourceVersion: s.Version, Objects: s.Objects, Pending: s.Pending,
		Lists: map[string]uint64{}, Watches: counts.Reflector.Watches, Skipped: counts.Reflector.Skipped,
		Resync: v1.Resync{Next: s.Resync.Next, Runs: s.Resync.Runs, Left: s.Resync.Left, Waiting: s.Resync.Waiting, Skipped: s.Resync.Skipped},
	}
	for reason, n := range counts.Reflector.Each {
		if n > 0 {
			shown.Lists[reason.String()] = n
		}
	}
	shown.DegradedSince, shown.DisconnectedSince = observe.Troubles(s.Scopes)
	for i := range s.Scopes {
		of := &s.Scopes[i]
		shown.HeardAt = observe.Earliest(shown.HeardAt, of.HeardAt)
		if err := of.Reflector.LastError; err != nil {
			shown.LastError = errorText(err)
		}
	}
	for i := range s.Subscribers {
		shown.Subscribers = append(shown.Subscribers, subscriberOf(&s.Subscribers[i]))
	}
	shown.Mutated = observe.Mutated(&s)
	if !t.fits([]any{&shown, shown.Mutated}) {
		return shown, false
	}
	t.addScopes(&shown, s.Scopes, shown.Mutated)
	return shown, true
}

// addScopes adds the scopes that the answer has room for: there may be thousands. It also says why they are as they
// are.
func (t *telling) addScopes(to *v1.Kind, scopes []informer.ScopeStatus, why string) {
	var whys []string
	fits := t.share(2)
	for i := range scopes {
		scope, itsWhy := scopeOf(&scopes[i]), scopes[i].Reflector.Why
		if !fits([]any{&scope, itsWhy}) {
			to.ScopesLeftOut = len(scopes) - i
			break
		}
		to.Scopes, whys = append(to.Scopes, scope), append(whys, itsWhy)
	}
	if why != "" {
		whys = append(whys, why)
	}
	to.Why = strings.Join(whys, "; ")
}

func scopeOf(s *informer.ScopeStatus) v1.Scope {
	return v1.Scope{
		Namespace: s.Namespace, Except: s.Except, Synced: s.Synced, State: s.Reflector.State,
		ResourceVersion: s.Version, HeardAt: s.HeardAt, Policy: describePolicy(&s.Resync),
	}
}

func subscriberOf(s *informer.SubscriberStatus) v1.Subscriber {
	shown := v1.Subscriber{
		Name: s.Name, Lag: s.Lag, LagSeconds: s.OldestAge.Seconds(), Told: s.Told,
		Synced: s.Synced, Slow: s.Slow, InHandlerSince: s.InHandlerSince,
	}
	for i := range s.Resync {
		if says := describePolicy(&s.Resync[i]); says != "" {
			shown.Policies = append(shown.Policies, says)
		}
	}
	return shown
}

// describePolicy says in words when objects are shown. It is empty if they are not.
func describePolicy(p *resync.Policy) string {
	if p.Period <= 0 {
		return ""
	}
	period := p.Period
	if period >= time.Minute {
		period = period.Round(time.Second) // a kind's own period is a bit off the cache's, so that not all are due at once
	}
	says := "every " + period.String()
	if p.Spread == resync.OverPeriod {
		says += ", spread over the period"
	}
	if p.Rate > 0 {
		says += fmt.Sprintf(", at most %g a second", p.Rate)
	}
	if p.Selector != nil && !p.Selector.Empty() {
		says += ", of " + p.Selector.String()
	}
	if p.OnlyIfNotReconciledFor > 0 {
		says += ", if not reconciled for " + p.OnlyIfNotReconciledFor.String()
	}
	switch {
	case len(p.Namespaces) > 0:
		says += ", in " + few(p.Namespaces)
	case len(p.Except) > 0:
		says += ", not in " + few(p.Except)
	}
	return path.Cut(says, longestText)
}

// few names the first of many.
func few(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
