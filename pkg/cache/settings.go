package cache

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// settings are everything that can be said of how a kind is kept, at whatever
// level it is said. A zero field has no opinion.
type settings struct {
	labels    labels.Selector
	fields    fields.Selector
	transform toolscache.TransformFunc
	share     *bool // reads give out the stored objects instead of copies
	bookmarks *bool
	resync    *time.Duration // SyncPeriod; where policy has a Period, that overrides it

	policy     resync.Policy
	missing    Missing
	unchanged  *bool // shown to handlers
	duplicates *bool // shared
	plainly    *bool // client-go decodes
	reflector  informer.Settings

	whole bool // no option: the scope replaces those of a kind that was taken to have namespaces
}

// or fills s's gaps from fallback. A new setting is a field above, a line here, and one
// in each function below that reads it off the options that have it: ofNamespace, ofKind
// and ofAll for controller-runtime's, with and beside for ours. What defaultSettings or
// [KindOptions] have to say of it comes on top.
func (s settings) or(fallback settings) settings {
	if s.labels == nil {
		s.labels = fallback.labels
	}
	if s.fields == nil {
		s.fields = fallback.fields
	}
	if s.transform == nil {
		s.transform = fallback.transform
	}
	s.share = cmp.Or(s.share, fallback.share)
	s.bookmarks = cmp.Or(s.bookmarks, fallback.bookmarks)
	if s.resync != nil { // a wider policy doesn't go before it
		fallback.policy.Period = 0
	}
	s.policy = timetable.Or(s.policy, fallback.policy)
	s.resync = cmp.Or(s.resync, fallback.resync)
	s.missing = cmp.Or(s.missing, fallback.missing)
	s.unchanged = cmp.Or(s.unchanged, fallback.unchanged)
	s.duplicates = cmp.Or(s.duplicates, fallback.duplicates)
	s.plainly = cmp.Or(s.plainly, fallback.plainly)
	s.reflector = reflector.Fill(s.reflector, fallback.reflector)
	return s
}

// defaultSettings are what is left where nobody has an opinion; they are
// controller-runtime's.
var defaultSettings = settings{
	share:      new(false),
	bookmarks:  new(true),
	resync:     new(10 * time.Hour),
	missing:    Fail,
	unchanged:  new(true),
	duplicates: new(true),
	plainly:    new(false),
}

func ofNamespace(c crcache.Config) settings {
	return settings{
		labels: c.LabelSelector, fields: c.FieldSelector, transform: c.Transform,
		share: c.UnsafeDisableDeepCopy, bookmarks: c.EnableWatchBookmarks, resync: c.SyncPeriod,
	}
}

func ofKind(b crcache.ByObject) settings {
	return settings{
		labels: b.Label, fields: b.Field, transform: b.Transform,
		share: b.UnsafeDisableDeepCopy, bookmarks: b.EnableWatchBookmarks, resync: b.SyncPeriod,
	}
}

func ofAll(o crcache.Options) settings {
	return settings{
		labels: o.DefaultLabelSelector, fields: o.DefaultFieldSelector, transform: o.DefaultTransform,
		share: o.DefaultUnsafeDisableDeepCopy, bookmarks: o.DefaultEnableWatchBookmarks, resync: o.SyncPeriod,
	}
}

// with takes in the settings that only we have.
func (s settings) with(k KindOptions) settings {
	return s.beside(settings{
		policy: k.Resync, missing: k.Missing, unchanged: k.ShowUnchanged, duplicates: k.ShareDuplicates, plainly: k.ClientGoDecodes, reflector: k.Reflector,
	})
}

// beside takes in what ours says at the same level.
func (s settings) beside(ours settings) settings {
	s.policy, s.missing, s.unchanged, s.reflector = ours.policy, ours.missing, ours.unchanged, ours.reflector
	s.duplicates, s.plainly = ours.duplicates, ours.plainly
	return s
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
	p := &plan{all: ofAll(opts).with(ours.Default).or(defaultSettings), kinds: map[schema.GroupVersionKind]kindSettings{}}
	err := errors.Join(p.all.check(), ours.Default.check())
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
	for gvk, k := range p.kinds {
		k.configured = k.policy
		p.kinds[gvk] = k
	}
	return p, nil
}

func namespaceSettings(option string, configs map[string]crcache.Config) (map[string]settings, error) {
	all := make(map[string]settings, len(configs))
	for namespace, config := range configs {
		if err := checkNamespace(namespace); err != nil {
			return nil, fmt.Errorf("%s: %w", option, err)
		}
		s := ofNamespace(config)
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
	if s.resync != nil && *s.resync < 0 {
		return fmt.Errorf("SyncPeriod is negative: %s", *s.resync)
	}
	return nil
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
		rest.fields = exceptNamespaces(rest.fields, all)
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
	if s.fields == nil || s.fields.Empty() {
		return metav1.NamespaceAll
	}
	namespace, _ := s.fields.RequiresExactMatch("metadata.namespace")
	return namespace
}

// narrow puts the selectors into a request.
func (s settings) narrow(opts *metav1.ListOptions) {
	if s.labels != nil {
		opts.LabelSelector = s.labels.String()
	}
	if s.fields != nil {
		opts.FieldSelector = s.fields.String()
	}
}
