package certs

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"go.uber.org/goleak"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func configurations() []client.Object {
	return []client.Object{
		&admissionv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: MutatingConfiguration},
			Webhooks:   []admissionv1.MutatingWebhook{{Name: "m.example.com"}},
		},
		&admissionv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: ValidatingConfiguration},
			Webhooks:   []admissionv1.ValidatingWebhook{{Name: "v.example.com"}},
		},
	}
}

func keeper(api client.Client) *Keeper {
	return NewKeeper(Options{API: api, Namespace: "team", Names: []string{"127.0.0.1"}, Log: logr.Discard()})
}

// serves returns the end of the certificate that is served.
func serves(t *testing.T, k *Keeper) time.Time {
	t.Helper()
	cert, err := k.GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return cert.Leaf.NotAfter
}

// bundle returns the bundle that both configurations have.
func bundle(t *testing.T, api client.Client) []byte {
	t.Helper()
	var m admissionv1.MutatingWebhookConfiguration
	var v admissionv1.ValidatingWebhookConfiguration
	if err := errors.Join(api.Get(t.Context(), client.ObjectKey{Name: MutatingConfiguration}, &m),
		api.Get(t.Context(), client.ObjectKey{Name: ValidatingConfiguration}, &v)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(m.Webhooks[0].ClientConfig.CABundle, v.Webhooks[0].ClientConfig.CABundle) {
		t.Error("the bundles differ")
	}
	return m.Webhooks[0].ClientConfig.CABundle
}

// TestReplicasAgree runs two keepers. They serve the same certificate from the first look on,
// and renew it once. At no moment does one of them serve a certificate that is not trusted.
func TestReplicasAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(configurations()...).Build()
		a, b := keeper(api), keeper(api)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if _, err := a.GetCertificate(nil); err == nil {
			t.Error("something is served before the first look")
		}
		if err := errors.Join(a.first(ctx), b.first(ctx)); err != nil {
			t.Fatal(err)
		}
		if !serves(t, a).Equal(serves(t, b)) {
			t.Error("two replicas serve different certificates")
		}
		first := bundle(t, api)
		time.Sleep(lifetime - renewal - 2*time.Minute) // no keeper looks in this time, because that would take the test long
		var running sync.WaitGroup
		for _, k := range []*Keeper{a, b} {
			running.Go(func() { _ = k.Start(ctx) })
		}
		end := serves(t, a)
		time.Sleep(time.Minute)
		if !bytes.Equal(bundle(t, api), first) || !serves(t, a).Equal(end) {
			t.Error("it was renewed before its time")
		}
		time.Sleep(2 * time.Minute)
		if second := bundle(t, api); bytes.Equal(second, first) || !bytes.HasSuffix(second, first) {
			t.Errorf("the bundle is %s", second)
		}
		if !serves(t, a).After(end) || !serves(t, a).Equal(serves(t, b)) {
			t.Error("the two replicas do not serve the new one")
		}
		cancel()
		running.Wait()
	})
}

// TestANewCAIsTrustedBeforeItIsUsed lets the keeper look once at a time.
func TestANewCAIsTrustedBeforeItIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(configurations()...).Build()
		k := keeper(api)
		if err := k.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		end := serves(t, k)
		time.Sleep(lifetime - renewal + time.Minute)
		if err := k.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !serves(t, k).Equal(end) {
			t.Error("the new certificate is served at once")
		}
		if err := k.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !serves(t, k).After(end) {
			t.Error("the new certificate is not served")
		}
	})
}

// TestWhatIsDamagedIsMadeAgain removes the bundle and the Secret while a keeper runs.
func TestWhatIsDamagedIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(configurations()...).Build()
		k := keeper(api)
		look := func() {
			if err := k.look(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		look()
		first := bundle(t, api)
		for _, c := range configurations() {
			if err := errors.Join(api.Delete(t.Context(), c), api.Create(t.Context(), c)); err != nil {
				t.Fatal(err)
			}
		}
		look()
		if !bytes.Equal(bundle(t, api), first) {
			t.Error("the bundle has not come back")
		}
		if err := api.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: SecretName}}); err != nil {
			t.Fatal(err)
		}
		look()
		if bytes.Equal(bundle(t, api), first) {
			t.Error("the Secret has not been made again")
		}
	})
}

// TestItWaitsForTheAPI starts a keeper while the API server is down.
func TestItWaitsForTheAPI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := interceptor.NewClient(fake.NewClientBuilder().WithScheme(scheme.Scheme).Build(), interceptor.Funcs{
			Create: func() func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
				calls := 0
				return func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
					if calls++; calls < 4 {
						return errors.New("down")
					}
					return c.Create(ctx, obj, opts...)
				}
			}(),
		})
		k := keeper(api)
		begin := time.Now()
		if err := k.first(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 3*soon {
			t.Errorf("it took %v", took)
		}
	})
}
