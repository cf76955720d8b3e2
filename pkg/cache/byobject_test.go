package cache

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// in are namespaces with the same options each.
func in(config crcache.Config, names ...string) map[string]crcache.Config {
	all := map[string]crcache.Config{}
	for _, name := range names {
		all[name] = config
	}
	return all
}

// TestEntriesForOneKind gives ByObject several entries for one kind. Whatever the order in which a map hands them
// out, they have to become the same.
func TestEntriesForOneKind(t *testing.T) {
	app := func(selector string) crcache.ByObject { return crcache.ByObject{Label: parse(t, selector)} }
	named := func(selector string) crcache.ByObject {
		return crcache.ByObject{Field: fields.ParseSelectorOrDie(selector)}
	}
	nowhere := crcache.ByObject{Namespaces: map[string]crcache.Config{}}
	for name, c := range map[string]struct {
		entries     []crcache.ByObject
		want        string
		contradicts bool
	}{
		"twice nothing":            {[]crcache.ByObject{{}, {}}, "", false},
		"one with a selector":      {[]crcache.ByObject{{}, app("a=b")}, `Label: "a=b"`, false},
		"the same selector":        {[]crcache.ByObject{app("a=b"), app("a=b")}, `Label: "a=b"`, false},
		"different options":        {[]crcache.ByObject{app("a=b"), {SyncPeriod: new(time.Hour)}, {Namespaces: in(crcache.Config{}, "red")}}, `Namespaces: {"red": {}}, Label: "a=b", SyncPeriod: 1h0m0s`, false},
		"the same namespaces":      {[]crcache.ByObject{{Namespaces: in(crcache.Config{}, "red", "blue")}, {Namespaces: in(crcache.Config{LabelSelector: parse(t, "a")}, "blue", "red")}}, `Namespaces: {"blue": {Label: "a"}, "red": {Label: "a"}}`, false},
		"the same transform":       {[]crcache.ByObject{{Transform: crcache.TransformStripManagedFields()}, {Transform: crcache.TransformStripManagedFields()}}, "Transform: " + stripping.String(), false},
		"more requirements":        {[]crcache.ByObject{app("a=b"), app("a=b,c=d"), {}}, `Label: "a=b"`, true},
		"all, or none":             {[]crcache.ByObject{app(""), {Label: labels.Nothing()}}, `Label: ""`, true},
		"another value":            {[]crcache.ByObject{app("a=c"), app("a=b")}, `Label: "a=b"`, true},
		"more fields":              {[]crcache.ByObject{named("metadata.name=a"), named("metadata.name=a,metadata.namespace!=b")}, `Field: "metadata.name=a"`, true},
		"all namespaces, or one":   {[]crcache.ByObject{{Namespaces: in(crcache.Config{}, "red")}, nowhere}, `Namespaces: {"red": {}}`, true},
		"other namespaces":         {[]crcache.ByObject{{Namespaces: in(crcache.Config{}, "red")}, {Namespaces: in(crcache.Config{}, "blue")}}, `Namespaces: {"blue": {}}`, true},
		"selectors of a namespace": {[]crcache.ByObject{{Namespaces: in(crcache.Config{LabelSelector: parse(t, "a=b")}, "red")}, {Namespaces: in(crcache.Config{LabelSelector: parse(t, "a")}, "red")}}, `Namespaces: {"red": {Label: "a"}}`, true},
		"copies, or none":          {[]crcache.ByObject{{UnsafeDisableDeepCopy: new(true)}, {UnsafeDisableDeepCopy: new(false)}}, "UnsafeDisableDeepCopy: false", true},
		"others, and a selector":   {[]crcache.ByObject{{Label: parse(t, "a=b"), Namespaces: in(crcache.Config{}, "red", "blue")}, {Namespaces: in(crcache.Config{}, "red")}}, `Namespaces: {"blue": {}, "red": {}}, Label: "a=b"`, true},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 { // a map hands them out by chance
				byObject := map[client.Object]crcache.ByObject{}
				for _, i := range rand.Perm(len(c.entries)) {
					byObject[&corev1.ConfigMap{}] = c.entries[i]
				}
				log := &lines{}
				p, err := newPlan(crcache.Options{Scheme: scheme.Scheme, Mapper: fakeMapper(), ByObject: byObject}, Options{Log: log.logger()})
				must(t, err)
				if got := p.kinds[corev1.SchemeGroupVersion.WithKind("ConfigMap")].String(); got != c.want {
					t.Errorf("the entries become %s, want %s", got, c.want)
				}
				checkSaid(t, log.String(), c.contradicts, c.entries)
			}
		})
	}
}

// checkSaid checks that a contradiction is logged once, with all entries, and nothing else.
func checkSaid(t *testing.T, log string, contradiction bool, entries []crcache.ByObject) {
	t.Helper()
	if said := strings.Count(log, "contradict each other"); said != map[bool]int{true: 1}[contradiction] || !contradiction && log != "" {
		t.Errorf("the log has: %s", log)
	}
	for _, entry := range entries {
		for namespace := range entry.Namespaces {
			if contradiction && !strings.Contains(log, fmt.Sprintf(`%q: {`, namespace)) && !strings.Contains(log, fmt.Sprintf(`\"%s\": {`, namespace)) {
				t.Errorf("the log does not have namespace %q: %s", namespace, log)
			}
		}
	}
}

// TestOurEntriesForOneKind gives our own ByObject two entries for one kind.
func TestOurEntriesForOneKind(t *testing.T) {
	for range 10 {
		log := &lines{}
		p, err := newPlan(crcache.Options{Scheme: scheme.Scheme, Mapper: fakeMapper()}, Options{Log: log.logger(), ByObject: map[client.Object]KindOptions{
			&corev1.ConfigMap{}: {Missing: WaitForIt, ShowUnchanged: new(false)},
			&corev1.ConfigMap{}: {Resync: resync.Policy{Period: time.Hour}, ShowUnchanged: new(true)},
		}})
		must(t, err)
		k := p.kinds[corev1.SchemeGroupVersion.WithKind("ConfigMap")]
		if k.Missing != WaitForIt || k.Resync.Period != time.Hour || *k.ShowUnchanged || k.configured.Period != time.Hour {
			t.Errorf("the entries become %s", k)
		}
		checkSaid(t, log.String(), true, nil)
	}
}

// TestEachEntryForOneKindIsChecked sees that an entry is not lost with what is wrong with it.
func TestEachEntryForOneKindIsChecked(t *testing.T) {
	opts := crcache.Options{Mapper: fakeMapper(), ByObject: map[client.Object]crcache.ByObject{
		&corev1.ConfigMap{}: {}, &corev1.ConfigMap{}: {SyncPeriod: new(-time.Second)},
	}}
	if _, err := NewWithOptions(&rest.Config{}, opts, Options{}); err == nil || !strings.Contains(err.Error(), "ByObject[*v1.ConfigMap]: SyncPeriod") {
		t.Errorf("NewWithOptions returns %v", err)
	}
}
