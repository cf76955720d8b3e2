package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	utilwait "k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// patience is how long a program may take until it serves. It takes seconds, but
// not on a machine that is busy with other tests.
const patience = 2 * time.Minute

// Plane is a running control plane.
type Plane struct {
	bin      string // folder of the programs
	folder   string
	release  func() // gives up the claim on folder
	group    *lifecycle.Group
	admin    *rest.Config
	etcdURL  string
	client   http.Client // speaks to etcd
	stopOnce sync.Once

	etcdCommand command  // starts etcd
	etcd        *process // nil before that
	command     command  // starts the API server
	apiServer   *process // nil while it is down
}

// ForTest starts a control plane that ends with the test. A test that fails shows
// what the programs wrote last.
func ForTest(t testing.TB, o Options) *Plane {
	t.Helper()
	p, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, name := range o.programs() {
				t.Logf("%s wrote at the end:\n%s", name, tail(p.file(name+".log")))
			}
		}
		p.Stop()
	})
	return p
}

// Start starts a control plane and waits until it serves; ctx ends the waiting,
// not what was started. The caller must Stop it.
func Start(ctx context.Context, o Options) (*Plane, error) {
	bin, err := binaries(o.programs()...)
	if err != nil {
		return nil, fmt.Errorf("start a control plane: %w", err)
	}
	folder, release, err := newFolder()
	if err != nil {
		return nil, err
	}
	p := &Plane{
		bin: bin, folder: folder, release: release,
		group: lifecycle.New(context.WithoutCancel(ctx)),
	}
	if err := p.start(ctx, o); err != nil {
		p.Stop()
		return nil, fmt.Errorf("start a control plane: %w", err)
	}
	return p, nil
}

func (p *Plane) start(ctx context.Context, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := p.startEtcd(ctx, filepath.Join(p.bin, "etcd")); err != nil {
		return err
	}
	if err := p.prepareAPIServer(ctx, filepath.Join(p.bin, "kube-apiserver"), o); err != nil {
		return err
	}
	if err := p.StartAPIServer(ctx); err != nil || !o.Workloads {
		return err
	}
	return p.StartWorkloads(ctx)
}

// Stop ends everything at once and removes what it wrote. It may be called more
// than once.
func (p *Plane) Stop() {
	p.stopOnce.Do(func() {
		p.group.Stop()
		_ = p.group.Wait() // its tasks have no errors, they wait for programs
		p.client.CloseIdleConnections()
		_ = os.RemoveAll(p.folder) // best effort: a leftover is swept by a later Plane
		p.release()
	})
}

// Config lets a client in as an administrator without any rate limit. Every call
// returns a copy of its own.
func (p *Plane) Config() *rest.Config { return rest.CopyConfig(p.admin) }

// Folder is where a caller may keep files that are to go when the Plane stops. The Plane's
// programs write there, too. It has the certificate of this machine as tls.crt and tls.key.
func (p *Plane) Folder() string { return p.folder }

// KillAPIServer ends the API server as a crash would: nothing is said to anybody,
// and connections break. It does nothing when the API server is down already.
func (p *Plane) KillAPIServer() {
	if p.apiServer.running() {
		p.apiServer.end()
	}
}

// SignalAPIServer sends a signal to the API server. After SIGSTOP it is as on a machine that hangs:
// connections stay open, new ones are taken, and nobody answers. SIGCONT has it go on.
func (p *Plane) SignalAPIServer(signal os.Signal) error { return p.apiServer.os.Signal(signal) }

// StartAPIServer starts the API server on the same address as before, over the
// same etcd, and waits until it serves. It does nothing when it is up already.
func (p *Plane) StartAPIServer(ctx context.Context) error {
	if p.apiServer.running() {
		return nil
	}
	server, err := p.command.start(p.group)
	if err != nil {
		return err
	}
	if err := p.waitForAPI(ctx, server); err != nil {
		server.end()
		return err
	}
	p.apiServer = server
	return nil
}

// wait calls ready until it has no complaint. It gives up when one of programs has
// ended or ctx has, and then tells the last complaint.
func wait(ctx context.Context, ready func(context.Context) error, programs ...*process) error {
	var complaint error
	err := utilwait.PollUntilContextCancel(ctx, 25*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if complaint = ready(ctx); complaint == nil {
			return true, nil
		}
		if i := slices.IndexFunc(programs, func(p *process) bool { return !p.running() }); i >= 0 {
			return false, programs[i].why()
		}
		return false, nil
	})
	if err == nil || ctx.Err() == nil {
		return err
	}
	errs := []error{err, complaint}
	for _, program := range programs {
		errs = append(errs, fmt.Errorf("%s wrote at the end:\n%s", program.name, tail(program.log)))
	}
	return fmt.Errorf("wait for the control plane: %w", errors.Join(errs...))
}
