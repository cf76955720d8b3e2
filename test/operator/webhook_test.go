package operator

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestWebhooksBesideTheCache runs a manager that also serves a webhook. The webhook reads
// from the cache. The test checks that both end.
func TestWebhooksBesideTheCache(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	create(t, api, configMaps, client.ObjectKey{Namespace: namespace, Name: "a"})
	certified := httptest.NewTLSServer(nil) // for its certificate
	defer certified.Close()
	address := controlplane.FreeAddressForTest(t)
	options := managerOptions(t)
	options.WebhookServer = webhook.NewServer(webhook.Options{
		Host: "127.0.0.1", Port: int(netip.MustParseAddrPort(address).Port()),
		TLSOpts: []func(*tls.Config){func(c *tls.Config) {
			c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &certified.TLS.Certificates[0], nil }
		}},
	})
	m := newManager(t, config, options)
	m.GetWebhookServer().Register("/known", &webhook.Admission{Handler: admission.HandlerFunc(
		func(ctx context.Context, q admission.Request) admission.Response {
			err := m.GetClient().Get(ctx, client.ObjectKey{Namespace: q.Namespace, Name: q.Name}, configMaps.object())
			return admission.ValidationResponse(err == nil, "asked the cache")
		})})
	r := newReconciler(configMaps, m.GetClient())
	control(t, m, r)
	stop := started(t, m)
	awaitAgreement(t, r, api, namespace)

	url := "https://" + address + "/known"
	for name, want := range map[string]string{"a": `"allowed":true`, "unknown": `"allowed":false`} {
		if got := review(t, certified.Client(), url, client.ObjectKey{Namespace: namespace, Name: name}); !strings.Contains(got, want) {
			t.Errorf("the webhook answers %s about %s, want %s", got, name, want)
		}
	}
	certified.Client().CloseIdleConnections()
	if err := stop(); err != nil {
		t.Fatalf("the manager ended with: %v", err)
	}
	if conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address); err == nil {
		_ = conn.Close()
		t.Error("the webhook server has not ended with its manager")
	}
}

// review asks a webhook whether an object may be created.
func review(t *testing.T, with *http.Client, url string, key client.ObjectKey) string {
	t.Helper()
	body := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE",` +
		`"namespace":"` + key.Namespace + `","name":"` + key.Name + `","object":{}}}`
	question, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	question.Header.Set("Content-Type", "application/json")
	answer, err := with.Do(question)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
