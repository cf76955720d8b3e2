package sampleoperator

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestWhoMayLook asks the operator's inspector without a token, with one that may nothing, and
// with the roles from config/. It asks over HTTP, and with kubectl-delta.
func TestWhoMayLook(t *testing.T) {
	c := newCluster(t, 1, controlplane.Options{})
	metrics := controlplane.FreeAddressForTest(t)
	visitors := map[string]*visitor{
		"nobody": {name: "nobody", address: metrics}, "a stranger": {name: "a stranger", address: metrics, token: "not-a-token"},
	}
	create(t, c.api, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: land}})
	for who, role := range map[string]string{"visitor": "", "reader": prefix + "inspector-reader", "user": prefix + "inspector-user"} {
		create(t, c.api, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: land, Name: who}})
		if role != "" {
			create(t, c.api, &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: who},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
				Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: land, Name: who}},
			})
		}
		config, err := c.plane.ServiceAccountConfig(t.Context(), land, who)
		must(t, err)
		visitors[who] = &visitor{who, metrics, config.BearerToken}
	}
	c.replica(t, 0, "--metrics-bind-address="+metrics)
	await.Within(t, patience, "the operator to follow Sites", func() error {
		code, text, err := visitors["reader"].ask(t, http.MethodGet, "v1/kinds")
		if err == nil && (code != http.StatusOK || !strings.Contains(text, `"kind":"Site"`) || !strings.Contains(text, `"state":"Following"`)) {
			err = fmt.Errorf("%d %s", code, text)
		}
		return err
	})
	reads := []string{"", "assets/main.js", "v1/kinds", "v1/deltas", "v1/controllers", "v1/reconciles", "v1/loops", "v1/queues", "v1/openapi.json"}
	acts := []string{"v1/actions/resync", "v1/actions/relist", "v1/actions/policy", "v1/actions/forget", "v1/actions/cancel"}
	for who, want := range map[string]struct{ read, act int }{
		"nobody":     {http.StatusUnauthorized, http.StatusUnauthorized},
		"a stranger": {http.StatusInternalServerError, http.StatusInternalServerError}, // controller-runtime's filter takes a token that nobody has for an error
		"visitor":    {http.StatusForbidden, http.StatusForbidden},
		"reader":     {http.StatusOK, http.StatusForbidden},
		"user":       {http.StatusOK, http.StatusBadRequest}, // the body is empty
	} {
		visitors[who].expect(t, http.MethodGet, reads, want.read)
		visitors[who].expect(t, http.MethodPost, acts, want.act)
	}
	program := filepath.Join(t.TempDir(), "kubectl-delta")
	must(t, compile("-C", "cmd/kubectl-delta", "build", "-o", program, "."))
	site := siteOf("first")
	create(t, c.api, site)
	await.Within(t, patience, "the command line to say why a Site was reconciled", func() error {
		said, err := visitors["reader"].run(t, program, "why", "site/first", "-n", land)
		if err == nil && !strings.Contains(said, "because of") {
			err = fmt.Errorf("it says %s", said)
		}
		return err
	})
	for _, c := range []struct{ who, command, want string }{
		{"reader", "status", "web.example.com/v1alpha1 Site"},
		{"reader", "status -o json", `"name": "web.example.com/v1alpha1 Site"`},
		{"reader", "history site/first -n " + land, "Added"},
		{"reader", "queue", "site"},
		{"reader", "top", "BECAUSE OF"},
		{"user", "resync sites", "are shown to those who take part in resyncs"},
	} {
		if said, err := visitors[c.who].run(t, program, strings.Fields(c.command)...); err != nil || !strings.Contains(said, c.want) {
			t.Errorf("%s by %s: %v\n%s\nwant in it %q", c.command, c.who, err, said, c.want)
		}
	}
	for who, want := range map[string]string{"nobody": "401", "visitor": "403"} {
		if said, err := visitors[who].run(t, program, "status"); err == nil || !strings.Contains(said, want) {
			t.Errorf("status by %s: %v\n%s\nwant an error with %s", who, err, said, want)
		}
	}
	if said, err := visitors["reader"].run(t, program, "resync", "sites"); err == nil || !strings.Contains(said, "403") {
		t.Errorf("a reader resyncs: %v\n%s", err, said)
	}
}

func create(t *testing.T, api client.Client, obj client.Object) {
	t.Helper()
	must(t, api.Create(t.Context(), obj))
}

// visitor is somebody who looks at the operator.
type visitor struct{ name, address, token string }

// ask sends a request to the inspector.
func (v *visitor) ask(t *testing.T, method, route string) (code int, text string, err error) {
	t.Helper()
	return ask(t.Context(), method, "https://"+v.address+"/delta/"+route, v.token)
}

// ask sends a request to the operator. The token may be empty.
func ask(ctx context.Context, method, url, token string) (code int, text string, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	connection := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true, //nolint:gosec // the operator makes its own certificate
	}}
	response, err := connection.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

// expect asks routes, and wants the same status of all.
func (v *visitor) expect(t *testing.T, method string, routes []string, want int) {
	t.Helper()
	for _, route := range routes {
		if code, text, err := v.ask(t, method, route); err != nil || code != want {
			t.Errorf("%s %s by %s: %d %s %v, want %d", method, route, v.name, code, text, err, want)
		}
	}
}

// run runs kubectl-delta, and returns what it writes.
func (v *visitor) run(t *testing.T, program string, args ...string) (said string, err error) {
	t.Helper()
	args = append(args, "--url", "https://"+v.address, "--insecure-skip-tls-verify")
	if v.token != "" {
		args = append(args, "--token", v.token)
	}
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = append(os.Environ(), "KUBECONFIG=/nowhere")
	text, err := command.CombinedOutput()
	return string(text), err
}
