package reach

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/testing/standin"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// told answers each request with what the inspector got.
func told(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, `{"message": %q}`, r.Method+" "+r.Host+" "+r.Header.Get("Authorization"))
}

// cluster starts an inspector in a Pod and an API server before it.
func cluster(t *testing.T, a *standin.APIServer) (kubeconfig string) {
	t.Helper()
	inspector := httptest.NewTLSServer(http.HandlerFunc(told))
	t.Cleanup(inspector.Close)
	a.Pods = []standin.Pod{{Pod: pod("ops", "op-7f-abcde", ours), Target: inspector.Listener.Addr().String()}}
	return a.Start(t)
}

func open(t *testing.T, o *Options) *Connection {
	t.Helper()
	c, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func message(t *testing.T, c *Connection) string {
	t.Helper()
	answer, err := c.Get(t.Context(), "kinds", nil)
	if err != nil {
		t.Fatal(err)
	}
	done, err := ask.Into[v1.Done](answer)
	if err != nil {
		t.Fatal(err)
	}
	return done.Message
}

func TestThroughAPortForward(t *testing.T) {
	a := &standin.APIServer{}
	c := open(t, &Options{Kubeconfig: cluster(t, a), OperatorNamespace: "ops", Timeout: time.Minute})
	if got, want := message(t, c), "GET 127.0.0.1:8443 Bearer kubeconfig-token"; got != want {
		t.Errorf("the inspector got %q, want %q", got, want)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := c.Get(t.Context(), "kinds", nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if c.Where != "port 8443 of Pod ops/op-7f-abcde" || !c.alive() {
		t.Errorf("it asks %s, alive: %t", c.Where, c.alive())
	}
	asked := a.Asked()
	if last := asked[len(asked)-1]; last != "GET /api/v1/namespaces/ops/pods/op-7f-abcde/portforward" {
		t.Errorf("the last request is %s", last)
	}
}

// A port without TLS is on a loopback address, where no token is asked for, and where whatever
// else runs in the Pod could read it.
func TestTheTokenOfTheKubeconfigNeedsTLS(t *testing.T) {
	inspector := httptest.NewServer(http.HandlerFunc(told))
	t.Cleanup(inspector.Close)
	a := &standin.APIServer{Pods: []standin.Pod{{Target: inspector.Listener.Addr().String(), Pod: with(pod("ops", "op", ours), func(p *corev1.Pod) {
		p.Annotations = map[string]string{PortAnnotation: "9090", SchemeAnnotation: "http"}
	})}}}
	c := open(t, &Options{Kubeconfig: a.Start(t), OperatorNamespace: "ops"})
	if got, want := message(t, c), "GET 127.0.0.1:9090 "; got != want {
		t.Errorf("the inspector got %q, want %q", got, want)
	}
}

// TestWhoMaySeeAToken has one Pod that is found, in each way that it can be.
func TestWhoMaySeeAToken(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		named   bool
	}{
		"nothing is named":               {Options{}, false},
		"the namespace":                  {Options{OperatorNamespace: "ops"}, true},
		"another namespace":              {Options{OperatorNamespace: "home"}, false},
		"its name":                       {Options{Operator: "op"}, false},
		"an account of its namespace":    {Options{AsServiceAccount: "ops/reader"}, true},
		"an account of another":          {Options{AsServiceAccount: "home/reader"}, false},
		"an account, and the namespace":  {Options{AsServiceAccount: "home/reader", OperatorNamespace: "ops"}, true},
		"a token":                        {Options{Token: "a"}, false},
		"a file":                         {Options{TokenFile: "a"}, false},
		"the namespace of what is asked": {Options{Namespace: "ops"}, false},
	} {
		err := test.options.stranger(pod("ops", "op", ours))
		if (err == nil) != test.named || err != nil && !strings.Contains(err.Error(), "Pod op in namespace ops ") {
			t.Errorf("%s: the error is %v, and that it is named: %t", name, err, test.named)
		}
	}
}

func TestWhatTheKubeletSaysIsTold(t *testing.T) {
	a := &standin.APIServer{}
	kubeconfig := cluster(t, a)
	a.Pods[0].Target = "127.0.0.1:1"
	c := open(t, &Options{Kubeconfig: kubeconfig})
	_, err := c.Get(t.Context(), "kinds", nil)
	for _, want := range []string{"get kinds from port 8443 of Pod ops/op-7f-abcde: ", "dial tcp 127.0.0.1:1: connect: connection refused; ", "that the port is right"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

func TestWaysThatCanNotBeOpened(t *testing.T) {
	kubeconfig := cluster(t, &standin.APIServer{})
	if _, err := Open(t.Context(), &Options{Kubeconfig: kubeconfig, Context: "none"}); err == nil || !strings.Contains(err.Error(), "read the kubeconfig") {
		t.Errorf("without such a context the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, &Options{Kubeconfig: kubeconfig}); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt the error is %v", err)
	}
	there := &standin.APIServer{Pods: []standin.Pod{{Pod: pod("ops", "op", ours)}}}
	_, err := Open(t.Context(), &Options{Kubeconfig: there.Start(t)})
	if err == nil || !strings.Contains(err.Error(), "open a port-forward to port 8443 of Pod ops/op: ") || !strings.Contains(err.Error(), "pods/portforward") {
		t.Errorf("without the right the error is %v", err)
	}
}

func TestKeeperReplacesWhatIsBroken(t *testing.T) {
	a := &standin.APIServer{}
	o := &Options{Kubeconfig: cluster(t, a)}
	opened := 0
	k := Keep(func(ctx context.Context) (*Connection, error) { opened++; return Open(ctx, o) })
	defer k.Drop()
	first, err := k.Connection(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := k.Connection(t.Context()); err != nil || again != first || opened != 1 {
		t.Errorf("the second time it opened %d ways (%v)", opened, err)
	}
	_ = (<-a.Kept).Close() // as a kubelet does when the Pod goes
	<-first.forward.conn.CloseChan()
	second, err := k.Connection(t.Context())
	if err != nil || second == first {
		t.Fatalf("the way is still the broken one (%v)", err)
	}
	message(t, second)
}

func TestWaitersOfAKeeperCanGiveUp(t *testing.T) {
	k := Keep(nil)
	<-k.turn // as if somebody were opening a way
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Connection(ctx); err == nil {
		t.Error("it got a way from nobody")
	}
}
