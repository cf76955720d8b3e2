// Package informers makes informers of several scopes for tests, behind client-go's
// interface, as pkg/cache makes them.
//
//	Config ──▶ engine.NewScoped ──▶ peer.Show ──▶ Informer
//
// # Concurrency
//
// [New] starts nothing. Any goroutine may use what it returns.
//
// # Testing
//
// The tests that use it.
package informers

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Config is what an informer is made of.
type Config struct {
	Kind    string
	Example runtime.Object
	Scopes  []Scope
	// Transform and Reflector are as in [engine.Options].
	Transform func(any) (any, error)
	Reflector informer.Settings
}

// Scope is a scope of an informer.
type Scope struct {
	Namespace     string
	Except        []string
	ListerWatcher cache.ListerWatcher
}

// Informer is client-go's shared informer, with its core.
type Informer = *peer.SharedInformer

// New makes an informer.
func New(config Config) (Informer, error) {
	log := klog.Background()
	opts := engine.Options[any]{Name: config.Kind, Traits: objects.Traits, Transform: config.Transform, Log: log}
	options := cache.ReflectorOptions{TypeDescription: config.Kind, Logger: &log}
	opts.Reflector = peer.Options(config.Scopes[0].ListerWatcher, options)
	opts.Reflector.Settings = reflector.Fill(config.Reflector, opts.Reflector.Settings)
	opts.Reflector.OnError = peer.OnWatchError(peer.Reflector(config.Scopes[0].ListerWatcher, config.Example, options),
		func() cache.WatchErrorHandlerWithContext { return nil })
	scopes := make([]engine.Scope[any], len(config.Scopes))
	for n, s := range config.Scopes {
		scopes[n] = Of(s, config.Example)
	}
	core, err := engine.NewScoped(scopes, opts)
	if err != nil {
		return nil, err
	}
	return peer.Show(core, peer.Shown{Kind: config.Kind}), nil
}

// Of is a scope as the engine has it.
func Of(s Scope, example runtime.Object) engine.Scope[any] {
	lw := cache.ToListerWatcherWithContext(s.ListerWatcher)
	return engine.Scope[any]{
		Namespace: s.Namespace, Except: s.Except,
		ListWatcher: listwatch.Lent(listwatch.Client{List: lw.ListWithContext, Watch: lw.WatchWithContext}, example),
	}
}
