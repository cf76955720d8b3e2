package cache

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestAKindWithoutNamespacesMayComeLaterToALimitedCache has the CRD of a kind without namespaces come late. It is not
// known before that the kind has none.
func TestAKindWithoutNamespacesMayComeLaterToALimitedCache(t *testing.T) {
	for name, limits := range map[string]map[string]crcache.Config{
		"none": nil, "one": in(crcache.Config{}, "red"), "two": in(crcache.Config{}, "red", "blue"), "all, and one by itself": in(crcache.Config{}, "", "red"),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			late := &lateMapper{RESTMapper: fakeMapper()}
			c, err := NewWithOptions(f.config(), crcache.Options{Mapper: late, DefaultNamespaces: limits},
				Options{Default: KindOptions{Missing: WaitForIt, Reflector: quickRetries}})
			must(t, err)
			start(t, c)
			namespaces := informerOf(t, c, &corev1.Namespace{})
			err = c.Get(t.Context(), client.ObjectKey{Namespace: "red", Name: "green"}, &corev1.Namespace{})
			if !errors.Is(err, informer.ErrNotSynced) || !strings.Contains(err.Error(), "CRD") {
				t.Errorf("before it has come, reading returns %v", err)
			}
			told := make(chan string, 10)
			handle(t, namespaces, crtools.ResourceEventHandlerFuncs{AddFunc: func(obj any) { told <- obj.(*corev1.Namespace).Name }})
			f.put(&corev1.Namespace{ObjectMeta: configMap("", "green").ObjectMeta})
			late.there.Store(true)
			<-namespaces.HasSyncedChecker().Done()
			for _, namespace := range []string{"", "red", "ignored"} {
				if err := c.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "green"}, &corev1.Namespace{}); err != nil {
					t.Errorf("reading by namespace %q: %v", namespace, err)
				}
			}
			if name := <-told; name != "green" {
				t.Errorf("the handler was told of %s", name)
			}
			f.put(&corev1.Namespace{ObjectMeta: configMap("", "grey").ObjectMeta})
			if name := <-told; name != "grey" {
				t.Errorf("the handler was told of %s", name)
			}
			for c.OptionalHealthz(nil) != nil && t.Context().Err() == nil { // until the namespaces are gone, and the watch is open
			}
			if s := c.Status()[0].Informer.Scopes; len(s) != 1 || s[0].Namespace != "" {
				t.Errorf("the informer has scopes %+v", s)
			}
			checkOthersComeAndGo(t, c)
		})
	}
}

// TestAScopeThatIsExchangedDoesNotList has all scopes of a kind learn at once that it has no namespaces, also that of all but
// one namespace, which the scope of the whole kind replaces. Handlers hear of each object once.
func TestAScopeThatIsExchangedDoesNotList(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			m, told := newDenyingMapper(), 0
			c := limitedOver(t, answers{"namespaces": oneNamespace},
				Options{Default: KindOptions{Missing: WaitForIt, Reflector: informer.Settings{Lists: informer.PagesOnly}}}, m, "", "red")
			run(t, c)
			namespaces := informerOf(t, c, &corev1.Namespace{}, crcache.BlockUntilSynced(false))
			handle(t, namespaces, crtools.ResourceEventHandlerFuncs{AddFunc: func(any) { told++ }})
			synctest.Wait()
			m.answer(nil)
			time.Sleep(time.Minute)
			synctest.Wait()
			if scopes := c.Status()[0].Informer.Scopes; told != 1 || len(scopes) != 1 || !scopes[0].Synced {
				t.Errorf("the handler was told %d times of one object, in the scopes %+v", told, scopes)
			}
		})
	}
}

// oneNamespace is a list of the namespace green.
func oneNamespace(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("watch") == "true" {
		return emptyList(r)
	}
	list := corev1.NamespaceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}}
	list.ResourceVersion, list.Items = "1", []corev1.Namespace{{ObjectMeta: configMap("", "green").ObjectMeta}}
	return respond(http.StatusOK, encode(list)), nil
}

// checkOthersComeAndGo adds and removes a namespace, with which a kind without namespaces has nothing to do.
func checkOthersComeAndGo(t *testing.T, c *Cache) {
	t.Helper()
	if err := c.AddNamespace(t.Context(), "black", crcache.Config{}); err != nil && !strings.Contains(err.Error(), "all namespaces") {
		t.Error(err)
	}
	if err := c.RemoveNamespace(t.Context(), "black", informer.Silently); err != nil && !errors.Is(err, informer.ErrNotCovered) {
		t.Error(err)
	}
	if version := c.Status()[0].Informer.Version; version == "" {
		t.Error("the kind has no version")
	}
	var list corev1.NamespaceList
	if err := c.List(t.Context(), &list); err != nil || len(list.Items) != 2 {
		t.Errorf("listed %d, %v", len(list.Items), err)
	}
}
