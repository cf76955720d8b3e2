package controlplane

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ServiceAccountConfig lets a client in as a service account, which must exist and
// may do what RBAC grants to it. Its token is good for a day.
func (p *Plane) ServiceAccountConfig(ctx context.Context, namespace, name string) (*rest.Config, error) {
	core, done, err := p.core()
	if err != nil {
		return nil, err
	}
	defer done()
	day := int64((24 * time.Hour).Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &day}}
	made, err := core.ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("make a token for service account %s/%s: %w", namespace, name, err)
	}
	config := p.Config()
	config.BearerToken = made.Status.Token
	return config, nil
}

// WriteKubeconfig writes config so that kubectl and others can use it: who it lets
// in, and how to find and trust the server. Only the file's owner may read it.
func WriteKubeconfig(path string, config *rest.Config) error {
	const name = "delta-runtime"
	file := clientcmdapi.NewConfig()
	file.Clusters[name] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	file.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	file.CurrentContext = name
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		return fmt.Errorf("write a kubeconfig: %w", err)
	}
	return nil
}

// core returns the administrator's client, and what closes its connections.
func (p *Plane) core() (core *coreclient.CoreV1Client, done func(), err error) {
	client, err := rest.HTTPClientFor(p.admin)
	if err != nil {
		return nil, nil, fmt.Errorf("make a client for the API server: %w", err)
	}
	core, err = coreclient.NewForConfigAndClient(p.admin, client)
	if err != nil {
		return nil, nil, fmt.Errorf("make a client for the API server: %w", err)
	}
	return core, client.CloseIdleConnections, nil
}

// HTTPClientForTest makes a client for the config. Its connections, and so the
// goroutines that keep them, are gone when the test is.
func HTTPClientForTest(t testing.TB, config *rest.Config) *http.Client {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { HangUp(client) })
	return client
}

// HangUp closes the idle connections of a client, which its own method does not if
// there is anything between client and transport.
func HangUp(client *http.Client) { utilnet.CloseIdleConnectionsFor(client.Transport) }
