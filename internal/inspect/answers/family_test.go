package answers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// household is a cache of a few kinds.
type household struct {
	observe.Resyncer // none: the test asks for nothing of it
	kinds            []observe.Kind
	unmade           []observe.Unmade
}

func (*household) Record(*journal.Journal) {}
func (*household) Gaps() uint64            { return 0 }

func (c *household) Kinds() []observe.Kind { return c.kinds }

func (c *household) Unmade() []observe.Unmade { return c.unmade }

// listed is a server that has these objects, to which nothing happens.
type listed []any

func (l listed) List(context.Context, metav1.ListOptions) (listwatch.Page[any], error) {
	return listwatch.Page[any]{Version: "1", Items: l}, nil
}

func (listed) Watch(ctx context.Context, _ metav1.ListOptions) (listwatch.Stream[any], error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// member returns an object that has owners: references such as "apps/v1 Deployment web", the controller's with a star before it.
func member(namespace, name string, owners ...string) *metav1.PartialObjectMetadata {
	m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), ResourceVersion: "1"}}
	for _, owner := range owners {
		reference, isController := strings.CutPrefix(owner, "*")
		words := strings.Fields(reference)
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{
			APIVersion: words[0], Kind: words[1], Name: words[2], UID: types.UID(words[2]), Controller: &isController,
		})
	}
	return m
}

// families has an operator with a cache of these kinds.
func families(t *testing.T, kinds map[string]listed) *Operator {
	t.Helper()
	c := &household{}
	tasks := lifecycle.New(t.Context())
	t.Cleanup(func() { tasks.Stop(); _ = tasks.Wait() })
	for name, items := range kinds {
		k := kindOf(name, items)
		tasks.Go("informer", k.Informer.Run)
		c.kinds = append(c.kinds, k)
	}
	synctest.Wait()
	of := managed.New()
	t.Cleanup(of.Runs(c))
	return New(Options{Runtime: of})
}

// kindOf is a kind of a cache that lists these items. Its informer does not run.
func kindOf(name string, items listwatch.ListWatcher[any]) observe.Kind {
	version, kind, _ := strings.Cut(name, " ")
	i := engine.New[any](items, engine.Options[any]{
		Name: name, Traits: objects.Traits, Reflector: reflector.Options[any]{Settings: informer.Settings{Lists: informer.PagesOnly}},
	})
	return observe.Kind{GVK: schema.FromAPIVersionAndKind(version, kind), Name: name, Informer: i, Weigh: func(time.Time) uint64 { return 0 }}
}

func relativesInWords(all []v1.Relative) (says []string) {
	for _, r := range all {
		says = append(says, fmt.Sprintf("%d %s %s/%s %v", r.Depth, r.Kind, r.Namespace, r.Name, r.Cached))
	}
	return says
}

func TestFamily(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := families(t, map[string]listed{
			"example.com/v1 Site": {member("", "tenant"), member("team", "shop", "example.com/v1 Site tenant", "*other.io/v1 App gone")},
			"apps/v1 Deployment":  {member("team", "web", "*example.com/v1 Site shop"), member("team", "alone")},
			"v1 Pod":              {member("team", "web-1", "*apps/v1 Deployment web"), member("team", "web-0", "*apps/v1 Deployment web"), member("b", "loop", "v1 Pod loop")},
		})
		for _, of := range []struct{ kind, namespace, name, owners, children string }{
			{
				"example.com/v1 Site", "team", "shop",
				"1 other.io/v1 App /gone false; 1 example.com/v1 Site /tenant true",
				"1 apps/v1 Deployment team/web true; 2 v1 Pod team/web-0 true; 2 v1 Pod team/web-1 true",
			},
			{
				"v1 Pod", "team", "web-0",
				"1 apps/v1 Deployment team/web true; 2 example.com/v1 Site team/shop true; 3 other.io/v1 App /gone false; 3 example.com/v1 Site /tenant true", "",
			},
			{"apps/v1 Deployment", "team", "alone", "", ""},
			{
				"v1 Pod", "b", "loop", "1 v1 Pod b/loop true; 2 v1 Pod b/loop true; 3 v1 Pod b/loop true; 4 v1 Pod b/loop true; 5 v1 Pod b/loop true", "",
			},
			{"v1 Pod", "team", "nobody", "", ""},
			{"v1 Secret", "team", "web-0", "", ""},
		} {
			owners, children := o.Family(of.kind, of.namespace, of.name)
			if got := strings.Join(relativesInWords(owners), "; "); got != of.owners {
				t.Errorf("the owners of %s are %s, want %s", of.name, got, of.owners)
			}
			if got := strings.Join(relativesInWords(children), "; "); got != of.children {
				t.Errorf("the children of %s are %s, want %s", of.name, got, of.children)
			}
		}
	})
}

// TestALargeFamilyIsCut asks for an object that owns more than is shown.
func TestALargeFamilyIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := listed{member("a", "head")}
		for n := range 3 * mostRelatives {
			pods = append(pods, member("a", fmt.Sprint("pod-", n), "v1 Pod head"))
		}
		o := families(t, map[string]listed{"v1 Pod": pods})
		if _, children := o.Family("v1 Pod", "a", "head"); len(children) != mostRelatives {
			t.Errorf("%d children are shown, want %d", len(children), mostRelatives)
		}
	})
}
