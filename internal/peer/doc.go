// Package peer makes our Reflector behave towards its users as client-go's does, and shows our
// informers and stores as client-go's.
//
//	client-go's options, gates, clock ──▶ Options, Settings ──▶ our Reflector
//	                                                               │ errors, panics
//	WatchErrorHandler, utilruntime ◀── OnWatchError, Guard ◀───────╯
//
//	cache.SharedIndexInformer    ─▶ SharedInformer ──────────▶ engine.Informer[any]
//	cache.Indexer                ─▶ indexer ──▶ threadSafe ──▶ store.Store[any]
//	cache.ResourceEventHandler   ◀─ Tell      ◀── deltas ◀──── engine.Informer[any]
//
// Handlers of watch errors take a Reflector of client-go's. They get one that never runs, to
// read its name and its kind.
//
// # Concurrency
//
// Any goroutine may call an informer and a store. A store of ours has one writer, and client-go's may be
// written by anybody, so writes take turns at a mutex here; those to an informer's store are carried out by
// the informer. Readers take no part in that: they see what was committed last. No lock of this package is held
// while the core is waited for. What [OnWatchError] and [Options] return is called by the
// goroutine that runs the Reflector.
//
// # Testing
//
// A converted back-off is compared with client-go's own, wait by wait. pkg/toolscache tests
// the rest through client-go's constructors: random scripts drive client-go's part and ours side by side.
package peer
