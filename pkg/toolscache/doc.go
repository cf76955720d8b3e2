// Package toolscache shows our parts behind the interfaces of client-go's
// tools/cache, with the signatures of its constructors, so that a program changes
// an import and nothing else.
//
//	cache.SharedIndexInformer     ─▶ peer.SharedInformer ─▶ engine.Informer[any]
//	cache.Store, cache.Controller ─▶ informerController ──▶ engine.Informer[any]
//	cache.Store, cache.Indexer    ─▶ peer.NewIndexer ─────▶ store.Store[any]
//	cache.ThreadSafeStore         ─▶ peer.NewThreadSafe ──▶ store.Store[any]
//	cache.Queue                   ─▶ DeltaFIFO
//	Reflector, cache.Controller   ─▶ Reflector          ─▶ reflector.Reflector[any]
//	cache.ListerWatcher           ◀─ listWatcher        ◀─ listwatch.ListWatcher[any]
//
// Data types are client-go's own. Inside, keys are structs; here they are the
// strings that a key function makes, and [delta.ParseKey] and [delta.Key.String]
// turn one into the other without loss.
//
// # Concurrency
//
// Any goroutine may use what the constructors return, as with client-go's. No lock of this package is held
// while the core is waited for.
//
// # Testing
//
// Random scripts drive client-go's part and ours side by side and compare all that
// can be read: here for the stores, in test/sim for the queue and whole informers.
package toolscache
