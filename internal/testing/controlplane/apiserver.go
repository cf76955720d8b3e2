package controlplane

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// prepareAPIServer decides on everything that stays the same when the API server
// is started again: its address, its files and its command line.
func (p *Plane) prepareAPIServer(ctx context.Context, path string, o Options) error {
	address, err := FreeAddress(ctx)
	if err != nil {
		return err
	}
	bundle, err := manifests.Certify(p.folder)
	if err != nil {
		return err
	}
	token := rand.Text()
	if err := os.WriteFile(p.file("tokens.csv"), []byte(token+",admin,admin,system:masters\n"), 0o600); err != nil {
		return fmt.Errorf("write the administrator's token: %w", err)
	}
	p.admin = &rest.Config{
		Host:            "https://" + address,
		QPS:             -1, // the server is ours alone
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAData: bundle},
	}
	p.command = command{
		path: path,
		log:  p.file("kube-apiserver.log"),
		args: slices.Concat(p.flags(address), o.flags()),
	}
	return nil
}

func (p *Plane) flags(address string) []string {
	return []string{
		"--etcd-servers=" + p.etcdURL,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprint("--secure-port=", netip.MustParseAddrPort(address).Port()),
		"--endpoint-reconciler-type=none", // nobody in a test looks the API server up
		"--cert-dir=" + p.folder,
		"--tls-cert-file=" + p.file("tls.crt"),
		"--tls-private-key-file=" + p.file("tls.key"),
		"--token-auth-file=" + p.file("tokens.csv"),
		"--client-ca-file=" + p.file("tls.crt"), // nobody uses one, but there is a ConfigMap of it in every cluster
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://" + address,
		"--service-account-key-file=" + p.file("tls.key"),
		"--service-account-signing-key-file=" + p.file("tls.key"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--allow-privileged=true",
	}
}

func (p *Plane) file(name string) string { return filepath.Join(p.folder, name) }

// waitForAPI waits until the API server calls itself ready and the namespace that
// every test uses is there; the server makes it a moment later.
func (p *Plane) waitForAPI(ctx context.Context, server *process) error {
	core, done, err := p.core()
	if err != nil {
		return err
	}
	defer done()
	return wait(ctx, func(ctx context.Context) error {
		for _, path := range []string{"/readyz", "/api/v1/namespaces/default"} {
			if err := core.RESTClient().Get().AbsPath(path).Do(ctx).Error(); err != nil {
				return fmt.Errorf("get %s: %w", path, err)
			}
		}
		return nil
	}, server)
}
