package cache

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestAKindComesBackUnderAnotherName deletes a kind from the server, and has it come back with another plural. The
// mapper goes on to tell the first one.
func TestAKindComesBackUnderAnotherName(t *testing.T) {
	for _, obj := range []client.Object{&corev1.ConfigMap{}, mapOf(configMapGVK), metadataConfigMap()} {
		t.Run(fmt.Sprintf("%T", obj), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { rename(t, obj) }) })
	}
}

// ending is emptyList with watches that end after ten minutes.
func ending(r *http.Request) (*http.Response, error) {
	answer, err := emptyList(r)
	if err == nil && answer.StatusCode == http.StatusOK && r.URL.Query().Get("watch") == "true" {
		answer.Body = io.NopCloser(endingBody{r.Context()})
	}
	return answer, err
}

type endingBody struct{ ctx context.Context }

// Read waits for the end.
func (b endingBody) Read([]byte) (int, error) {
	select {
	case <-time.After(10 * time.Minute):
		return 0, io.EOF
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
}

func rename(t *testing.T, obj client.Object) {
	t.Helper()
	var stage atomic.Int64 // before, without the kind, and after
	at := func(then int64, say answer) answer {
		return func(r *http.Request) (*http.Response, error) {
			if stage.Load() != then {
				return refusal(http.StatusNotFound)(r)
			}
			return say(r)
		}
	}
	full := func(r *http.Request) (*http.Response, error) {
		if r.URL.Query().Get("watch") == "true" {
			return emptyList(r)
		}
		return respond(http.StatusOK, encode(listOfOne(r, 1, ""))), nil
	}
	c := newCacheOver(t, answers{
		"configmaps": at(0, ending), "settings": at(2, full),
		"v1": at(2, func(*http.Request) (*http.Response, error) {
			return respond(http.StatusOK, encode(metav1.APIResourceList{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: "v1", APIResources: []metav1.APIResource{
					{Name: "settings/status", Kind: "ConfigMap", Namespaced: true, Verbs: metav1.Verbs{"get"}},
					{Name: "others", Kind: "Other", Namespaced: true, Verbs: metav1.Verbs{"list"}},
					{Name: "settings", Kind: "ConfigMap", Namespaced: true, Verbs: metav1.Verbs{"list", "watch"}},
				},
			})), nil
		}),
	}, fakeMapper(), Options{})
	run(t, c)
	synctest.Wait() // it has started
	informerOf(t, c, obj)
	for range 2 {
		stage.Add(1)
		time.Sleep(2 * time.Hour) // the watches end, and what is refused is tried again
	}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "red", Name: "n"}, obj); err != nil {
		t.Errorf("reading what came back: %v", err)
	}
	if err := c.Healthz(nil); err != nil {
		t.Error(err)
	}
}
