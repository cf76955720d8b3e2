package cache

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// TestPrecedence fills options at random. It compares the settings of each kind in each
// namespace with those of the first level that has them.
func TestPrecedence(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			opts := randomOptions(rng)
			p, err := newPlan(opts, Options{})
			must(t, err)
			gvk := corev1.SchemeGroupVersion.WithKind("ConfigMap")
			got := p.of(gvk, meta.RESTScopeNameNamespace)
			want := namespacesOf(opts)
			if len(got) != len(want) {
				t.Fatalf("kept in %d namespaces, want those of %v", len(got), want)
			}
			for namespace := range want {
				s, ok := got[namespace]
				if !ok {
					t.Fatalf("not kept in namespace %q", namespace)
				}
				checkPrecedence(t, s, levels(opts, namespace))
			}
		})
	}
}

var configMaps, clusterRoles = &corev1.ConfigMap{}, &rbacv1.ClusterRole{}

// level is one of the places for a setting, in the form that the model reads.
type level struct {
	label  labels.Selector
	share  *bool
	period *time.Duration
}

// levels are the levels in the order in which they decide.
func levels(opts crcache.Options, namespace string) []level {
	of := func(c crcache.Config) level { return level{c.LabelSelector, c.UnsafeDisableDeepCopy, c.SyncPeriod} }
	by := opts.ByObject[configMaps]
	var all []level
	if len(namespacesOf(opts)) > 1 || namespace != "" || limited(opts) {
		if by.Namespaces != nil {
			all = append(all, of(by.Namespaces[namespace]))
		} else {
			all = append(all, of(opts.DefaultNamespaces[namespace]))
		}
	}
	all = append(all, level{by.Label, by.UnsafeDisableDeepCopy, by.SyncPeriod})
	if limited(opts) {
		all = append(all, of(opts.DefaultNamespaces[namespace]))
	}
	return append(all, level{opts.DefaultLabelSelector, opts.DefaultUnsafeDisableDeepCopy, opts.SyncPeriod})
}

// limited reports whether ConfigMaps are kept in namespaces that somebody named.
func limited(opts crcache.Options) bool {
	if named := opts.ByObject[configMaps].Namespaces; named != nil {
		return len(named) > 0
	}
	return len(opts.DefaultNamespaces) > 0
}

func namespacesOf(opts crcache.Options) map[string]crcache.Config {
	named := opts.ByObject[configMaps].Namespaces
	if named == nil {
		named = opts.DefaultNamespaces
	}
	if len(named) == 0 {
		return map[string]crcache.Config{"": {}}
	}
	return named
}

func checkPrecedence(t *testing.T, s settings, levels []level) {
	t.Helper()
	var label labels.Selector
	share, period := false, 10*time.Hour
	for i := len(levels) - 1; i >= 0; i-- { // the first level wins, so it is written last
		l := levels[i]
		if l.label != nil {
			label = l.label
		}
		if l.share != nil {
			share = *l.share
		}
		if l.period != nil {
			period = *l.period
		}
	}
	if !sameSelector(s.LabelSelector, label) || *s.UnsafeDisableDeepCopy != share || *s.SyncPeriod != period || !*s.EnableWatchBookmarks {
		t.Errorf("got labels %v, share %v, resync %v; want %v, %v, %v", s.LabelSelector, *s.UnsafeDisableDeepCopy, *s.SyncPeriod, label, share, period)
	}
}

func sameSelector(a, b labels.Selector) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.String() == b.String()
}

func randomOptions(rng *rand.Rand) crcache.Options {
	maybe := func() bool { return rng.IntN(3) == 0 }
	selector := func() labels.Selector {
		if !maybe() {
			return nil
		}
		return labels.SelectorFromSet(labels.Set{"n": fmt.Sprint(rng.IntN(1000))})
	}
	choice := func() *bool {
		if !maybe() {
			return nil
		}
		return new(rng.IntN(2) == 0)
	}
	period := func() *time.Duration {
		if !maybe() {
			return nil
		}
		return new(time.Duration(rng.IntN(100)) * time.Hour)
	}
	namespaces := func() map[string]crcache.Config {
		if !maybe() {
			return nil
		}
		all := map[string]crcache.Config{}
		for _, name := range []string{"", "red", "blue"} {
			if maybe() {
				all[name] = crcache.Config{LabelSelector: selector(), UnsafeDisableDeepCopy: choice(), SyncPeriod: period()}
			}
		}
		return all
	}
	opts := crcache.Options{
		Scheme: scheme.Scheme, Mapper: fakeMapper(),
		DefaultNamespaces: namespaces(), DefaultLabelSelector: selector(), DefaultUnsafeDisableDeepCopy: choice(), SyncPeriod: period(),
	}
	if maybe() {
		opts.ByObject = map[client.Object]crcache.ByObject{configMaps: {
			Namespaces: namespaces(), Label: selector(), UnsafeDisableDeepCopy: choice(), SyncPeriod: period(),
		}}
	}
	return opts
}

// TestNonsenseOptions checks that each option that makes no sense is refused by its name.
func TestNonsenseOptions(t *testing.T) {
	negative := new(-time.Second)
	byConfigMap := func(b crcache.ByObject) crcache.Options {
		return crcache.Options{ByObject: map[client.Object]crcache.ByObject{configMaps: b}}
	}
	for name, c := range map[string]struct {
		opts crcache.Options
		ours Options
		want string
	}{
		"negative period":              {opts: crcache.Options{SyncPeriod: negative}, want: "SyncPeriod is negative"},
		"negative period of kind":      {opts: byConfigMap(crcache.ByObject{SyncPeriod: negative}), want: "ByObject[*v1.ConfigMap]: SyncPeriod"},
		"negative period of ns":        {opts: crcache.Options{DefaultNamespaces: map[string]crcache.Config{"a": {SyncPeriod: negative}}}, want: `DefaultNamespaces["a"]: SyncPeriod`},
		"capitals in a namespace":      {opts: crcache.Options{DefaultNamespaces: map[string]crcache.Config{"Default": {}}}, want: `DefaultNamespaces: "Default" is not a namespace: a lowercase RFC 1123 label`},
		"a list for a namespace":       {opts: crcache.Options{DefaultNamespaces: map[string]crcache.Config{"default,kube-system": {}}}, want: `DefaultNamespaces: "default,kube-system" is not a namespace`},
		"a path for a namespace":       {opts: crcache.Options{DefaultNamespaces: map[string]crcache.Config{"a/b": {}}}, want: `DefaultNamespaces: "a/b" is not a namespace`},
		"nil key":                      {opts: crcache.Options{ByObject: map[client.Object]crcache.ByObject{nil: {}}}, want: "ByObject[<nil>]: the key is nil"},
		"our nil key":                  {ours: Options{ByObject: map[client.Object]KindOptions{nil: {}}}, want: "our ByObject[<nil>]: the key is nil"},
		"namespaces of a kind without": {opts: crcache.Options{ByObject: map[client.Object]crcache.ByObject{clusterRoles: {Namespaces: map[string]crcache.Config{"a": {}}}}}, want: "ClusterRole is not namespaced"},
		"a kind that is not there":     {opts: crcache.Options{ByObject: map[client.Object]crcache.ByObject{&corev1.Pod{}: {}}}, want: `ByObject[*v1.Pod]: find out whether /v1, Kind=Pod is namespaced: `},
		"a type without a kind":        {opts: crcache.Options{ByObject: map[client.Object]crcache.ByObject{&unregistered{}: {}}}, want: "find the kind"},
		"lists":                        {ours: Options{ListsAtOnce: -1}, want: "ListsAtOnce is negative"},
		"staleness":                    {ours: Options{StaleAfter: -1}, want: "StaleAfter is negative: -1ns"},
		"missing":                      {ours: Options{Default: KindOptions{Missing: 9}}, want: "defaults: Missing is 9"},
		"negative rate":                {ours: Options{Default: KindOptions{Resync: resync.Policy{Rate: -1}}}, want: "defaults: Resync: the Rate is -1"},
		"jitter beyond one":            {ours: Options{Default: KindOptions{Resync: resync.Policy{Jitter: 1.5}}}, want: "defaults: Resync: the Jitter is 1.5"},
		"negative jitter":              {ours: Options{Default: KindOptions{Resync: resync.Policy{Jitter: -0.5}}}, want: "Resync: the Jitter is -0.5"},
		"jitter that is not a number":  {ours: Options{Default: KindOptions{Resync: resync.Policy{Jitter: math.NaN()}}}, want: "Resync: the Jitter is NaN"},
		"nonsense spread":              {ours: Options{ByObject: map[client.Object]KindOptions{configMaps: {Resync: resync.Policy{Spread: 9}}}}, want: "our ByObject[*v1.ConfigMap]: Resync: the Spread is 9"},
		"negative resync period":       {ours: Options{Default: KindOptions{Resync: resync.Policy{Period: -time.Second}}}, want: "Resync: the Period is negative"},
		"negative patience":            {ours: Options{Default: KindOptions{Resync: resync.Policy{OnlyIfNotReconciledFor: -1}}}, want: "Resync: the OnlyIfNotReconciledFor is negative"},
	} {
		t.Run(name, func(t *testing.T) {
			c.opts.Mapper = fakeMapper()
			if _, err := NewWithOptions(&rest.Config{}, c.opts, c.ours); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("NewWithOptions returns %v, want an error about %q", err, c.want)
			}
		})
	}
	if _, err := New(nil, crcache.Options{}); err == nil || !strings.Contains(err.Error(), "rest.Config is nil") {
		t.Errorf("New without a config returns %v", err)
	}
}

// TestAMissingKindMayHaveOptions checks that options for a kind that the server does not have
// are accepted, if the kind may be missing.
func TestAMissingKindMayHaveOptions(t *testing.T) {
	opts := crcache.Options{Mapper: fakeMapper(), ByObject: map[client.Object]crcache.ByObject{
		&corev1.Pod{}: {Field: fields.OneTermEqualSelector("metadata.name", "x")},
	}}
	ours := Options{ByObject: map[client.Object]KindOptions{&corev1.Pod{}: {Missing: WaitForIt}}}
	if _, err := NewWithOptions(&rest.Config{}, opts, ours); err != nil {
		t.Error(err)
	}
}

// TestTheRestExcludesTheOthers checks that the list of all namespaces leaves out those with
// lists of their own.
func TestTheRestExcludesTheOthers(t *testing.T) {
	p, err := newPlan(crcache.Options{
		Scheme: scheme.Scheme, Mapper: fakeMapper(),
		DefaultFieldSelector: fields.OneTermEqualSelector("metadata.name", "x"),
		DefaultNamespaces:    map[string]crcache.Config{"": {}, "red": {}, "blue": {}},
	}, Options{})
	must(t, err)
	const want = "metadata.namespace!=blue,metadata.namespace!=red,metadata.name=x"
	if got := p.of(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNameNamespace)[""].FieldSelector.String(); got != want {
		t.Errorf("all namespaces are listed with field selector %s, want %s", got, want)
	}
}

// unregistered is in no scheme.
type unregistered struct{ corev1.ConfigMap }

func TestWithoutBookmarksThereAreNoStreamingLists(t *testing.T) {
	for _, bookmarks := range []bool{true, false} {
		k := &kind{binding: &binding{}}
		k.byName.Store(&map[string]settings{})
		scope := k.scope("", settings{Config: crcache.Config{EnableWatchBookmarks: &bookmarks}}.or(defaultSettings))
		if pages := scope.Settings.Lists == informer.PagesOnly; pages == bookmarks {
			t.Errorf("with EnableWatchBookmarks %v, lists only come in pages: %v", bookmarks, pages)
		}
	}
}
