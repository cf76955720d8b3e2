//go:build !race

// One goroutine plays all of this, and the race detector has nothing to find.

package hotloop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestWhatIsHiddenIsNotNamed has two managers fight below a field that differences hide as a whole,
// keys and names of elements with it.
func TestWhatIsHiddenIsNotNamed(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "vault.example.com", Version: "v1", Kind: "Secret"}
	seeds.Run(t, 20, func(t *testing.T, rng *rand.Rand) {
		w := newWorld(t, rng)
		at := delta.Key{Namespace: "shop", Name: "token"}
		below := w.pick("token", "map/canary", "list/name=canary/value", "map/canary/deep")
		w.create(kind, at, w.pick("kubectl", "argocd", "helm"), set{"spec/" + below: "at first", "spec/other": "other"})
		w.call()
		for range 10 {
			for i, manager := range []string{"argocd", "helm"} {
				w.pass(w.around(time.Second))
				w.write(at, manager, set{"spec/" + below: fmt.Sprint("value of ", i)})
				w.call()
			}
		}
		if len(w.found) != 1 {
			t.Fatalf("found is %+v", w.found)
		}
		if e := w.found[0]; strings.Contains(fmt.Sprint(e), "canary") || !slices.Equal(e.Paths, []string{"spec"}) || !slices.Equal(e.Managers, []string{"argocd", "helm"}) {
			t.Errorf("with a fight over %s, found is %+v", below, e)
		}
	})
}
