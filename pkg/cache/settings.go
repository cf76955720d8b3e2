package cache

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// settings are everything that can be said of how a kind is kept, at whatever
// level it is said: controller-runtime's options and ours. A zero field has no opinion.
type settings struct {
	crcache.Config // where Resync has a Period, that overrides its SyncPeriod
	KindOptions

	whole bool // no option: the scope replaces those of a kind that was taken to have namespaces
}

// or fills s's gaps from fallback. A new setting is a line here, and for
// controller-runtime's one in ofKind and ofAll. What defaultSettings or
// [KindOptions] have to say of it comes on top.
func (s settings) or(fallback settings) settings {
	if s.Transform == nil {
		s.Transform = fallback.Transform
	}
	if s.SyncPeriod != nil { // a wider policy doesn't go before it
		fallback.Resync.Period = 0
	}
	s.LabelSelector = cmp.Or(s.LabelSelector, fallback.LabelSelector)
	s.FieldSelector = cmp.Or(s.FieldSelector, fallback.FieldSelector)
	s.UnsafeDisableDeepCopy = cmp.Or(s.UnsafeDisableDeepCopy, fallback.UnsafeDisableDeepCopy)
	s.EnableWatchBookmarks = cmp.Or(s.EnableWatchBookmarks, fallback.EnableWatchBookmarks)
	s.SyncPeriod = cmp.Or(s.SyncPeriod, fallback.SyncPeriod)
	s.Missing = cmp.Or(s.Missing, fallback.Missing)
	s.ShowUnchanged = cmp.Or(s.ShowUnchanged, fallback.ShowUnchanged)
	s.ShareDuplicates = cmp.Or(s.ShareDuplicates, fallback.ShareDuplicates)
	s.Resync = timetable.Or(s.Resync, fallback.Resync)
	s.Reflector = reflector.Fill(s.Reflector, fallback.Reflector)
	return s
}

// defaultSettings are what is left where nobody has an opinion; they are
// controller-runtime's.
var defaultSettings = settings{
	Config: crcache.Config{UnsafeDisableDeepCopy: new(false), EnableWatchBookmarks: new(true), SyncPeriod: new(10 * time.Hour)},
	KindOptions: KindOptions{
		Missing: Fail, ShowUnchanged: new(true), ShareDuplicates: new(true),
	},
}

func ofKind(b crcache.ByObject) crcache.Config {
	return crcache.Config{
		LabelSelector: b.Label, FieldSelector: b.Field, Transform: b.Transform,
		UnsafeDisableDeepCopy: b.UnsafeDisableDeepCopy, EnableWatchBookmarks: b.EnableWatchBookmarks, SyncPeriod: b.SyncPeriod,
	}
}

func ofAll(o crcache.Options) crcache.Config {
	return crcache.Config{
		LabelSelector: o.DefaultLabelSelector, FieldSelector: o.DefaultFieldSelector, Transform: o.DefaultTransform,
		UnsafeDisableDeepCopy: o.DefaultUnsafeDisableDeepCopy, EnableWatchBookmarks: o.DefaultEnableWatchBookmarks, SyncPeriod: o.SyncPeriod,
	}
}

// kindSettings is what the options say of one kind.
type kindSettings struct {
	settings
	// namespaces are the kind's own; nil leaves it to the default namespaces, and
	// empty means all.
	namespaces map[string]settings
	// configured is the policy by the options alone, and override is what was said of
	// resyncs while the cache ran.
	configured resync.Policy
	override   resync.Policy
}

// plan says for each kind in which namespaces it is kept, and how. The key of a
// namespace is its name, or "" for all that have no entry of their own.
type plan struct {
	all        settings
	namespaces map[string]settings // the default ones, as they were given
	kinds      map[schema.GroupVersionKind]kindSettings
}

// newPlan checks the options and puts them in order.
func newPlan(opts crcache.Options, ours Options) (*plan, error) {
	all := settings{Config: ofAll(opts), KindOptions: ours.Default}
	p := &plan{all: all.or(defaultSettings), kinds: map[schema.GroupVersionKind]kindSettings{}}
	err := all.check()
	if err != nil {
		return nil, fmt.Errorf("cache options: defaults: %w", err)
	}
	if p.namespaces, err = namespaceSettings("DefaultNamespaces", opts.DefaultNamespaces); err != nil {
		return nil, fmt.Errorf("cache options: %w", err)
	}
	if err = p.addOurs(opts.Scheme, ours); err != nil {
		return nil, fmt.Errorf("cache options: our %w", err)
	}
	if err = p.addTheirs(opts, ours.Log); err != nil {
		return nil, fmt.Errorf("cache options: %w", err)
	}
	return p, nil
}

func namespaceSettings(option string, configs map[string]crcache.Config) (map[string]settings, error) {
	all := make(map[string]settings, len(configs))
	for namespace, config := range configs {
		if err := checkNamespace(namespace); err != nil {
			return nil, fmt.Errorf("%s: %w", option, err)
		}
		s := settings{Config: config}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("%s[%q]: %w", option, namespace, err)
		}
		all[namespace] = s
	}
	return all, nil
}

func checkNamespace(namespace string) error {
	if namespace == metav1.NamespaceAll {
		return nil
	}
	if wrong := validation.IsDNS1123Label(namespace); len(wrong) > 0 {
		return fmt.Errorf("%q is not a namespace: %s", namespace, wrong[0])
	}
	return nil
}

func (s settings) check() error {
	if s.SyncPeriod != nil && *s.SyncPeriod < 0 {
		return fmt.Errorf("SyncPeriod is negative: %s", *s.SyncPeriod)
	}
	return s.KindOptions.check()
}

// general returns how a kind is kept as far as that does not depend on a namespace.
func (p *plan) general(gvk schema.GroupVersionKind) settings { return p.kinds[gvk].or(p.all) }

// of returns how a kind is kept, by namespace, with every gap filled. The order of
// who is asked is controller-runtime's: the kind's namespace, the kind, the
// default namespace, the defaults.
func (p *plan) of(gvk schema.GroupVersionKind, scope meta.RESTScopeName) map[string]settings {
	asked := p.kinds[gvk].namespaces
	if asked == nil {
		asked = p.namespaces
	}
	if scope == meta.RESTScopeNameRoot || len(asked) == 0 {
		return map[string]settings{metav1.NamespaceAll: p.general(gvk)}
	}
	all := make(map[string]settings, len(asked))
	for namespace := range asked {
		all[namespace] = p.settings(gvk, namespace)
	}
	if rest, ok := all[metav1.NamespaceAll]; ok {
		rest.FieldSelector = exceptNamespaces(rest.FieldSelector, all)
		all[metav1.NamespaceAll] = rest
	}
	return all
}

// settings returns how a kind is kept in a namespace that is listed by itself.
func (p *plan) settings(gvk schema.GroupVersionKind, namespace string) settings {
	k := p.kinds[gvk]
	s := k.namespaces[namespace]
	if k.namespaces == nil {
		s = p.namespaces[namespace]
	}
	return s.or(k.settings).or(p.namespaces[namespace]).or(p.all)
}

// exceptNamespaces narrows what is listed of all namespaces by those that are
// listed by themselves.
func exceptNamespaces(selector fields.Selector, listed map[string]settings) fields.Selector {
	var terms []fields.Selector
	for _, namespace := range slices.Sorted(maps.Keys(listed)) {
		if namespace != metav1.NamespaceAll {
			terms = append(terms, fields.OneTermNotEqualSelector("metadata.namespace", namespace))
		}
	}
	if selector != nil {
		terms = append(terms, selector)
	}
	return fields.AndSelectors(terms...)
}

// oneNamespace is the namespace to which the field selector limits everything,
// which is a cheaper list and one that a Role can grant.
func (s settings) oneNamespace() string {
	if s.FieldSelector == nil || s.FieldSelector.Empty() {
		return metav1.NamespaceAll
	}
	namespace, _ := s.FieldSelector.RequiresExactMatch("metadata.namespace")
	return namespace
}

// narrow puts the selectors into a request.
func (s settings) narrow(opts *metav1.ListOptions) {
	if s.LabelSelector != nil {
		opts.LabelSelector = s.LabelSelector.String()
	}
	if s.FieldSelector != nil {
		opts.FieldSelector = s.FieldSelector.String()
	}
}
