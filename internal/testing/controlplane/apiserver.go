package controlplane

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"k8s.io/client-go/rest"
)

// prepareAPIServer decides on everything that stays the same when the API server
// is started again: its address, its files and its command line.
func (p *Plane) prepareAPIServer(ctx context.Context, path string, o Options) error {
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	if p.authority, err = newAuthority(); err != nil {
		return err
	}
	if err := p.writeFiles(); err != nil {
		return err
	}
	if p.admin, err = p.adminConfig(port); err != nil {
		return err
	}
	p.command = command{
		path: path,
		log:  p.file("kube-apiserver.log"),
		args: slices.Concat(p.flags(port), o.flags()),
	}
	return nil
}

func (p *Plane) flags(port int) []string {
	return []string{
		"--etcd-servers=" + p.etcdURL,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--endpoint-reconciler-type=none", // nobody in a test looks the API server up
		"--cert-dir=" + p.folder,
		"--tls-cert-file=" + p.file("server.crt"),
		"--tls-private-key-file=" + p.file("server.key"),
		"--client-ca-file=" + p.file("authority.crt"),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://127.0.0.1:" + strconv.Itoa(port),
		"--service-account-key-file=" + p.file("server.key"),
		"--service-account-signing-key-file=" + p.file("server.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--allow-privileged=true",
	}
}

func (p *Plane) file(name string) string { return filepath.Join(p.folder, name) }

func (p *Plane) writeFiles() error {
	server, err := p.authority.server()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"authority.crt": encodeCert(p.authority.cert.Raw),
		"server.crt":    server.cert,
		"server.key":    server.key,
	} {
		if err := os.WriteFile(p.file(name), content, 0o600); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

func (p *Plane) adminConfig(port int) (*rest.Config, error) {
	admin, err := p.authority.client("admin", []string{"system:masters"})
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: "https://" + address(port),
		QPS:  -1, // the server is ours alone
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   encodeCert(p.authority.cert.Raw),
			CertData: admin.cert, KeyData: admin.key,
		},
	}, nil
}

// waitForAPI waits until the API server calls itself ready and the namespace that
// every test uses is there; the server makes it a moment later.
func (p *Plane) waitForAPI(ctx context.Context, server *process) error {
	client, err := rest.HTTPClientFor(p.admin)
	if err != nil {
		return fmt.Errorf("make a client for the API server: %w", err)
	}
	defer client.CloseIdleConnections()
	return wait(ctx, func(ctx context.Context) error {
		for _, path := range []string{"/readyz", "/api/v1/namespaces/default"} {
			if err := get(ctx, client, p.admin.Host+path); err != nil {
				return err
			}
		}
		return nil
	}, server)
}

func get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", url, err)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("get %s: %s: %s", url, response.Status, body)
	}
	return nil
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
