package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

var tokenReview = authenticationv1.SchemeGroupVersion.WithKind("TokenReview")

// reviewMapper knows kinds that no server lists, besides those of fakeMapper.
func reviewMapper() meta.RESTMapper {
	m := fakeMapper()
	m.Add(corev1.SchemeGroupVersion.WithKind("Binding"), meta.RESTScopeNamespace)
	m.Add(tokenReview, meta.RESTScopeRoot)
	return m
}

// offering answers with the verbs of TokenReview.
func offering(verbs ...string) answer {
	return func(*http.Request) (*http.Response, error) {
		return respond(http.StatusOK, encode(metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: tokenReview.GroupVersion().String(),
			APIResources: []metav1.APIResource{
				{Name: "others", Kind: "Other", Verbs: metav1.Verbs{"get", "list", "watch"}},
				{Name: "tokenreviews", Kind: tokenReview.Kind, Verbs: verbs},
			},
		})), nil
	}
}

// mapOf is an empty object of a kind, as a map.
func mapOf(gvk schema.GroupVersionKind) *unstructured.Unstructured {
	return kinded(gvk, &unstructured.Unstructured{})
}

// reads are the ways to ask for TokenReviews.
func reads() map[string]func(context.Context, *Cache) error {
	about := kinded(tokenReview, &metav1.PartialObjectMetadata{})
	maps := kinded(tokenReview.GroupVersion().WithKind("TokenReviewList"), &unstructured.UnstructuredList{})
	return map[string]func(context.Context, *Cache) error{
		"Get a map": func(ctx context.Context, c *Cache) error {
			return c.Get(ctx, client.ObjectKey{Name: "a"}, mapOf(tokenReview))
		},
		"Get metadata": func(ctx context.Context, c *Cache) error { return c.Get(ctx, client.ObjectKey{Name: "a"}, about) },
		"List maps":    func(ctx context.Context, c *Cache) error { return c.List(ctx, maps) },
		"GetInformer": func(ctx context.Context, c *Cache) error {
			_, err := c.GetInformer(ctx, mapOf(tokenReview))
			return err
		},
	}
}

// TestAKindWhoseListIsInNoScheme asks for a Go type that has no list. The scheme says so at once,
// in its own words.
func TestAKindWhoseListIsInNoScheme(t *testing.T) {
	for _, missing := range []Missing{Fail, WaitForIt} {
		t.Run(fmt.Sprint("missing ", missing), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCacheOver(t, answers{}, reviewMapper(), Options{Default: KindOptions{Missing: missing}})
				run(t, c)
				synctest.Wait() // it has started
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if err := c.Get(ctx, client.ObjectKey{Namespace: "red", Name: "a"}, &corev1.Binding{}); !runtime.IsNotRegisteredError(err) {
					t.Errorf("Get returns %v", err)
				}
				if _, err := c.GetInformer(ctx, &corev1.Binding{}); !runtime.IsNotRegisteredError(err) {
					t.Errorf("GetInformer returns %v", err)
				}
				if !c.WaitForCacheSync(ctx) || len(c.Status()) > 0 {
					t.Errorf("the kind is part of the cache: %+v", c.Status())
				}
			})
		})
	}
}

// TestAKindThatTheServerCanNotList asks for a kind that can only be created. Whether the account may list
// it or not, there is nothing to wait for.
func TestAKindThatTheServerCanNotList(t *testing.T) {
	for name, server := range map[string]answers{
		"it says so":                      {"tokenreviews": refusal(http.StatusMethodNotAllowed), "v1": offering("create")},
		"it says so, and has no verbs":    {"tokenreviews": refusal(http.StatusMethodNotAllowed)},
		"it says that we may not":         {"tokenreviews": refusal(http.StatusForbidden), "v1": offering("create")},
		"it says that there is no such":   {"tokenreviews": refusal(http.StatusNotFound), "v1": offering("create")},
		"it can get, and says we may not": {"tokenreviews": refusal(http.StatusForbidden), "v1": offering("create", "get")},
	} {
		for how, read := range reads() {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newCacheOver(t, server, reviewMapper(), Options{})
					run(t, c)
					synctest.Wait() // it has started
					began := time.Now()
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					for range 2 {
						err := read(ctx, c)
						if !apierrors.IsMethodNotSupported(err) || !strings.Contains(err.Error(), "TokenReview") || !strings.Contains(err.Error(), "the server can't list it") {
							t.Errorf("the cache returns %v", err)
						}
					}
					if !c.WaitForCacheSync(ctx) {
						t.Error("the cache waits for a kind that can't come")
					}
					if waited := time.Since(began); waited != 0 {
						t.Errorf("that took %s", waited)
					}
				})
			})
		}
	}
}

// TestAKindThatMayBeMissingAndCanNotBeListed sees the rest of the cache start, and the reason in the status.
func TestAKindThatMayBeMissingAndCanNotBeListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := answers{"tokenreviews": refusal(http.StatusForbidden), "v1": offering("create")}
		c := newCacheOver(t, server, reviewMapper(), Options{Default: KindOptions{Missing: WaitForIt}})
		run(t, c)
		synctest.Wait() // it has started
		if _, err := c.GetInformer(t.Context(), mapOf(tokenReview)); err != nil {
			t.Errorf("GetInformer returns %v", err)
		}
		err := c.Get(t.Context(), client.ObjectKey{Name: "a"}, mapOf(tokenReview))
		for what, err := range map[string]error{"Get": err, "OptionalHealthz": c.OptionalHealthz(nil)} {
			if err == nil || !strings.Contains(err.Error(), "no cache can hold it") || strings.Contains(err.Error(), "grant") {
				t.Errorf("%s returns %v", what, err)
			}
		}
		if !errors.Is(err, informer.ErrNotSynced) {
			t.Errorf("Get returns %v", err)
		}
	})
}

// TestAKindThatWeMayNotListIsWaitedFor sees that a refusal which a person can lift is as it was, and that discovery is asked
// about the kind no more than once.
func TestAKindThatWeMayNotListIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		server := answers{"tokenreviews": refusal(http.StatusForbidden), "v1": func(r *http.Request) (*http.Response, error) {
			asked++
			return offering("create", "list", "watch")(r)
		}}
		c := newCacheOver(t, server, reviewMapper(), Options{})
		stop := run(t, c)
		synctest.Wait() // it has started
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := c.Get(ctx, client.ObjectKey{Name: "a"}, mapOf(tokenReview))
		if !apierrors.IsTimeout(err) || !strings.Contains(err.Error(), "grant list and watch") {
			t.Errorf("Get returns %v", err)
		}
		stop()
		if asked != 1 {
			t.Errorf("discovery was asked %d times", asked)
		}
	})
}
