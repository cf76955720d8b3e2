// Package cache is controller-runtime's cache.Cache over our informers: New takes
// its options and keeps its promises.
//
//	                   Get, List                    GetInformer
//	                       │                             │
//	Cache ── kinds ──▶ kind{GVK, form} ──▶ reader        │
//	  │                    │                 │           │
//	  │ plan               │                 ▼           ▼
//	  └─ settings per ─────┴──▶ store ◀── toolscache.SharedInformer
//	     kind and namespace               │ one scope per namespace
//	                                      ▼
//	                        binding: what the kind is called, and a REST client
//
// A kind is one GVK in one of three forms: as its Go type, as a map, or as metadata
// alone. Each has one informer and one store, also where it is kept in several
// namespaces: these are scopes of the informer, and what is read over all of them
// comes from one commit of the store.
//
// What controller-runtime's options say at four levels (namespace, kind, default
// namespace, defaults) is one type, settings, with one merge.
//
// An object that arrives shares the memory of what it has in common with its last
// version, or with another one of its controller: relatives finds the one to hold it
// against, and internal/api/decode does it. An object that a transform has returned shares nothing.
//
// With Options.NewInformer set, New returns controller-runtime's own cache over
// those informers: what makes ours different needs our informers.
//
// # Concurrency
//
// All methods may be called from any goroutine. Reads of a kind that is there take
// no lock. Cache.mu guards the map of kinds and the cache's phase; the API is never
// asked under it: a kind that is being made stands in the map with a channel
// that those who want it wait on. Cache.scoping is the right to add and remove
// namespaces; its holder may wait for a Reflector that is to end, but not for what the
// server has to say of a kind. Start owns all goroutines but one, and they have ended when
// it returns: what asks the API server what a kind is called takes no context, so each kind
// may have a task that ends when the server answers.
//
// # Testing
//
// Unit tests run against a fake API in this process. test/differential drives
// controller-runtime's cache and this one side by side on a real API server and compares
// every answer; test/operator runs managers on this one, while rights and kinds
// come and go.
package cache
