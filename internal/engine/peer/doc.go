// Package peer makes our Reflector behave towards its users as client-go's does, and shows our
// informers and stores as client-go's.
//
//	client-go's options, gates, clock ──▶ Options, Settings ──▶ our Reflector
//	WatchErrorHandler, utilruntime ◀── OnWatchError, Guard ◀──── its errors, its panics
//
//	cache.SharedIndexInformer    ─▶ SharedInformer ──────────▶ engine.Informer[any]
//	cache.Indexer                ─▶ indexer ──▶ threadSafe ──▶ store.Store[any]
//	cache.ResourceEventHandler   ◀─ Tell      ◀── deltas ◀──── engine.Informer[any]
//
// Handlers of watch errors take a Reflector of client-go's. They get one that never runs, to
// read its name and its kind.
//
// Any goroutine may call an informer and a store. A store of ours has one writer, and anybody may write
// client-go's, so writes take turns at a mutex here; the informer carries out those to its store. Readers take no
// part in that: they see what was committed last. No lock of this package is held while the core is waited for.
// The goroutine that runs the Reflector calls what [OnWatchError] and [Options] return.
package peer
