package cache

import (
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Options are what our cache can do beyond controller-runtime's. The zero value
// behaves as controller-runtime's cache does.
type Options struct {
	// Default is for all kinds, and ByObject for some; what a kind's own options
	// leave open is taken from Default. Several entries for one kind count as one.
	Default  KindOptions
	ByObject map[client.Object]KindOptions

	// ListsAtOnce is how many kinds or namespaces are listed at the same time when
	// the cache starts, so that they are not all in memory twice, nor all asked for
	// in the same second. Zero means 10.
	ListsAtOnce int

	// StaleAfter is how long a kind may be without the server before Healthz fails. Zero is
	// for ever: then Healthz fails only for kinds that the server refuses or does not have.
	//
	// If no kind has heard the server for so long, the cache asks it for its version. A server that takes a connection and
	// does not answer is so noticed five seconds later.
	StaleAfter time.Duration

	// OnMutation is told of objects of the cache that somebody has changed in place,
	// after a read without deep copy or in an event handler. Looking for it reads
	// the objects again and again, so it is for tests. Nil looks at a sample, and logs the first that it finds.
	OnMutation func(informer.Mutation)

	// Log is where warnings go. The zero Logger is controller-runtime's.
	Log logr.Logger
}

// KindOptions are what can be said of one kind, or of all. A zero field has no
// opinion.
type KindOptions struct {
	// Missing says what happens if the kind cannot be read when the cache starts:
	// its CRD is not installed, or the account may not list it. The default is Fail.
	Missing Missing
	// ShowUnchanged says whether handlers are called for objects that a relist shows as
	// they are known: with the same object twice, as client-go's informers do. The default
	// is true, and manager.Configure makes it false.
	ShowUnchanged *bool
	// ShareDuplicates keeps once what an object has in common with its last version, or with
	// another one of the same controller: labels, containers, volumes. Objects of the cache
	// must not be changed in place. If one is, others that share with it change as well. An object that a
	// transform has returned may have parts that are the transform's, so it shares nothing. The one exception is
	// controller-runtime's TransformStripManagedFields. The default is true.
	ShareDuplicates *bool
	// Resync says when handlers are shown objects that have not changed. Where it has a
	// Period, that overrides the SyncPeriod of the same level, and of wider ones; the
	// rest of it holds for either. It can be changed later: see [Cache.SetResync].
	Resync resync.Policy
	// Reflector says how to list and watch.
	Reflector informer.Settings
}

// Missing is what to do about a kind that cannot be read.
type Missing uint8

const (
	// Fail is what controller-runtime does: a call that asks for the kind gets an
	// error or waits, and a manager stops in the end if one of its controllers watches it.
	Fail Missing = iota + 1
	// WaitForIt lets everything else start. The kind counts as degraded: reading it
	// is an error that says why, its handlers hear nothing, and Status and
	// OptionalHealthz name it. Once the CRD or the permission is there, the kind heals by itself.
	WaitForIt
)

func (k KindOptions) check() error {
	if k.Missing > WaitForIt {
		return fmt.Errorf("Missing is %d, which means nothing", k.Missing)
	}
	if err := k.Resync.Check(); err != nil {
		return fmt.Errorf("Resync: %w", err)
	}
	return nil
}

func (o Options) check() error {
	switch {
	case o.ListsAtOnce < 0:
		return fmt.Errorf("cache options: ListsAtOnce is negative: %d", o.ListsAtOnce)
	case o.StaleAfter < 0:
		return fmt.Errorf("cache options: StaleAfter is negative: %s", o.StaleAfter)
	}
	return nil
}
