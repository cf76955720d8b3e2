package builder

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// ForInput is what For was told. controller-runtime's of the same name can't be read
// outside of its package, so its options are not for our builder, nor ours for its; they
// have the same names.
type ForInput struct {
	object client.Object
	how    watching
	err    error
}

// OwnsInput is what Owns was told.
type OwnsInput struct {
	object     client.Object
	how        watching
	everyOwner bool
}

// WatchesInput is what Watches was told.
type WatchesInput[R comparable] struct {
	object  client.Object
	handler handler.TypedEventHandler[client.Object, R]
	how     watching
}

// watching is what all options but one are about.
type watching struct {
	predicates []predicate.Predicate
	form       form
	resync     resync.Policy
}

// form is how objects are watched.
type form uint8

const (
	asGiven form = iota
	metadataOnly
)

// ForOption is an option of For.
type ForOption interface {
	ApplyToFor(*ForInput)
}

// OwnsOption is an option of Owns.
type OwnsOption interface {
	ApplyToOwns(*OwnsInput)
}

// WatchesOption is an option of Watches.
type WatchesOption interface {
	ApplyToWatches(untypedWatchesInput)
}

// untypedWatchesInput is a WatchesInput of any request.
type untypedWatchesInput interface {
	watching() *watching
}

func (w *WatchesInput[R]) watching() *watching { return &w.how }

// Predicates are asked of each event. The handler is told of those that all let
// through.
type Predicates struct{ predicates []predicate.Predicate }

var (
	_ ForOption     = Predicates{}
	_ OwnsOption    = Predicates{}
	_ WatchesOption = Predicates{}
)

// WithPredicates sets the predicates of what is watched.
func WithPredicates(predicates ...predicate.Predicate) Predicates {
	return Predicates{predicates: predicates}
}

// ApplyToFor sets the predicates.
func (p Predicates) ApplyToFor(in *ForInput) { in.how.predicates = p.predicates }

// ApplyToOwns sets the predicates.
func (p Predicates) ApplyToOwns(in *OwnsInput) { in.how.predicates = p.predicates }

// ApplyToWatches sets the predicates.
func (p Predicates) ApplyToWatches(in untypedWatchesInput) { in.watching().predicates = p.predicates }

// OnlyMetadata watches, and has the cache keep, no more of the objects than their
// metadata. Read them as metav1.PartialObjectMetadata then: to read them in another form
// has the cache keep that, too, and the two are not always at the same state.
var OnlyMetadata = projectAs(metadataOnly)

type projectAs form

var (
	_ ForOption     = OnlyMetadata
	_ OwnsOption    = OnlyMetadata
	_ WatchesOption = OnlyMetadata
)

// ApplyToFor sets the form.
func (p projectAs) ApplyToFor(in *ForInput) { in.how.form = form(p) }

// ApplyToOwns sets the form.
func (p projectAs) ApplyToOwns(in *OwnsInput) { in.how.form = form(p) }

// ApplyToWatches sets the form.
func (p projectAs) ApplyToWatches(in untypedWatchesInput) { in.watching().form = form(p) }

// MatchEveryOwner has an event make a request for each owner of the kind, and not only
// for the one that controls the object.
var MatchEveryOwner = &matchEveryOwner{}

type matchEveryOwner struct{}

var _ OwnsOption = MatchEveryOwner

// ApplyToOwns sets it.
func (*matchEveryOwner) ApplyToOwns(in *OwnsInput) { in.everyOwner = true }

// ResyncPolicy is a resync policy for what is watched.
type ResyncPolicy struct{ policy resync.Policy }

var (
	_ ForOption     = ResyncPolicy{}
	_ OwnsOption    = ResyncPolicy{}
	_ WatchesOption = ResyncPolicy{}
)

// WithResyncPolicy says when the controller is shown objects of one kind although they
// have not changed. What it leaves open is as WithResync says, where it is for For, and
// then as the cache has it for the kind. See [TypedBuilder.WithResync] for predicates.
func WithResyncPolicy(policy resync.Policy) ResyncPolicy { return ResyncPolicy{policy: policy} }

// ApplyToFor sets the policy.
func (p ResyncPolicy) ApplyToFor(in *ForInput) { in.how.resync = p.policy }

// ApplyToOwns sets the policy.
func (p ResyncPolicy) ApplyToOwns(in *OwnsInput) { in.how.resync = p.policy }

// ApplyToWatches sets the policy.
func (p ResyncPolicy) ApplyToWatches(in untypedWatchesInput) { in.watching().resync = p.policy }
