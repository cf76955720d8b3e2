// Package informer has what operators set on the informers of a cache, and what they read of
// them. The informers themselves belong to pkg/cache.
//
//	cache.Options ──▶ Settings, Backoff, Mutation ──▶ ┌──────────┐
//	source.NewDeltas ──▶ SubscribeOptions ──────────▶ │ informer │ ──▶ Status
//	Cache.RemoveNamespace ──▶ Removal ──────────────▶ └──────────┘
//
// A [Status] says for each scope what its part of the informer does and, in Why, what is wrong
// and what to do about it; and for each subscriber how far behind it is.
//
// # Concurrency
//
// All of it is data. The cache returns copies.
//
// # Testing
//
// The packages that make it test it: pkg/cache, internal/engine, internal/engine/reflector.
package informer
