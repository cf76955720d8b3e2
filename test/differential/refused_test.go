package differential

import (
	"testing"
	"time"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestOptionsThatMakeNoSense compares which options the constructors refuse.
func TestOptionsThatMakeNoSense(t *testing.T) {
	s := newBareServer(t)
	everywhere := map[string]crcache.Config{}
	by := func(settings crcache.ByObject, examples ...client.Object) crcache.Options {
		o := crcache.Options{ByObject: map[client.Object]crcache.ByObject{}}
		for _, example := range examples {
			o.ByObject[example] = settings
		}
		return o
	}
	for _, tt := range []struct {
		name string
		opts crcache.Options
		// stricter is the reason if only ours refuses the options.
		stricter string
	}{
		{"namespaces of a kind that has none", by(crcache.ByObject{Namespaces: map[string]crcache.Config{"a": {}}}, node.typed()), ""},
		{"all namespaces of a kind that has none", by(crcache.ByObject{Namespaces: everywhere}, node.typed()), ""},
		{"a kind that the server has not", by(crcache.ByObject{}, ghost.typed()), ""},
		{"a kind that the scheme has not", by(crcache.ByObject{}, networkPolicy.typed()), ""},
		{"no kind", by(crcache.ByObject{}, subject{&kind{}, asMap}.object()), ""},
		{"a namespace that can't be", crcache.Options{DefaultNamespaces: map[string]crcache.Config{"a/b": {}}},
			"theirs never syncs"},
		{"a negative period", crcache.Options{SyncPeriod: new(-time.Second)},
			"nobody can mean it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.HTTPClient, tt.opts.Scheme = s.via, newScheme()
			_, theirs := theirs(s.config, tt.opts)
			_, ours := ours(s.config, tt.opts)
			switch {
			case ours == nil:
				t.Errorf("ours takes it; theirs: %v", theirs)
			case theirs == nil && tt.stricter == "":
				t.Errorf("theirs takes it; ours: %v", ours)
			case theirs != nil && tt.stricter != "":
				t.Errorf("theirs refuses it now, too: %v", theirs)
			case theirs != nil && class(theirs) != class(ours):
				t.Errorf("theirs is %s: %v\nours is %s: %v", class(theirs), theirs, class(ours), ours)
			}
		})
	}
}
