package operator

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// grace is how long a manager may take to end. kubebuilder's scaffold gives a pod this time.
const grace = 10 * time.Second

var (
	secrets = kind{
		corev1.SchemeGroupVersion.WithKind("Secret"),
		func() client.Object { return &corev1.Secret{} }, func() client.ObjectList { return &corev1.SecretList{} },
	}
	serviceAccounts = kind{
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
		func() client.Object { return &corev1.ServiceAccount{} }, func() client.ObjectList { return &corev1.ServiceAccountList{} },
	}
	// present are the kinds that the server has.
	present = []kind{configMaps, secrets, serviceAccounts, widgets}
)

// situation is a reason why a manager can't have a kind. It also says who asks for that kind
// before the manager starts.
type situation struct {
	name    string
	account bool              // the operator has an account without rights
	stuck   func(string) bool // the paths that the server does not answer; nil is none
	want    func(context.Context, manager.Manager) error
}

var situations = []situation{
	{name: "only its controller asks for the missing kind"},
	{name: "somebody asks for the missing kind", want: wantGadgets},
	{name: "a kind with an index is forbidden", account: true, want: wantSecrets},
	{name: "a kind that somebody has the informer of is forbidden", account: true, want: holdSecrets},
	{name: "lists are not answered", stuck: lists, want: wantSecrets},
	{name: "nothing is answered", stuck: everything, want: wantSecrets},
	{name: "nothing is answered, and nobody asks", stuck: everything},
}

func lists(path string) bool { return strings.HasSuffix(path, "/secrets") }

func everything(string) bool { return true }

func wantGadgets(ctx context.Context, m manager.Manager) error {
	for ctx.Err() == nil {
		_, _ = m.GetCache().GetInformer(ctx, &Gadget{}) // again and again, so that some call waits at every moment
	}
	return nil
}

func wantSecrets(ctx context.Context, m manager.Manager) error {
	return m.GetFieldIndexer().IndexField(ctx, secrets.object(), "type", func(client.Object) []string { return nil })
}

func holdSecrets(ctx context.Context, m manager.Manager) error {
	_, err := m.GetCache().GetInformer(ctx, secrets.object())
	return err
}

// operate runs a manager in a situation until ctx ends. It calls begins before it starts the
// manager.
func (s situation) operate(ctx context.Context, m manager.Manager, begins func()) error {
	var wanting sync.WaitGroup
	defer wanting.Wait()
	if s.want != nil {
		wants, done := context.WithCancel(ctx)
		defer done()
		wanted := make(chan struct{})
		wanting.Go(func() {
			defer close(wanted)
			_ = s.want(wants, m) // this fails, because the kind is missing
		})
		select { // main asks for an index before it starts the manager
		case <-wanted:
		case <-time.After(time.Second):
		}
	}
	begins()
	return m.Start(ctx)
}

// manager returns a manager with a controller for each of five kinds, and the reconcilers of those that the server has.
func (s situation) manager(t *testing.T, how adoption, config *rest.Config) (manager.Manager, []*reconciler) {
	t.Helper()
	options := basicOptions()
	options.GracefulShutdownTimeout = new(grace)
	if err := how.configure(&options); err != nil {
		t.Fatal(err)
	}
	m := newManager(t, config, options)
	var reconcilers []*reconciler
	for _, k := range append(present[:len(present):len(present)], gadgets) {
		r := newReconciler(k, m.GetClient())
		if err := how.control(m, k.object(), r); err != nil {
			t.Fatal(err)
		}
		reconcilers = append(reconcilers, r)
	}
	return m, reconcilers[:len(present)]
}

// reach returns the configuration of a client in the situation.
func (s situation) reach(t *testing.T, config *rest.Config) *rest.Config {
	t.Helper()
	if s.account {
		api := directly(t, config)
		config = rights{api: api, namespace: newNamespace(t, api)}.register(t, config)
	}
	return rest.CopyConfig(config)
}

// wait makes the server leave the stuck paths without an answer, until the returned function
// is called.
func (s situation) wait(config *rest.Config) (answer func()) {
	if s.stuck == nil {
		return func() {}
	}
	line := &stuckLine{stuck: s.stuck, answered: make(chan struct{})}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		line.next = next
		return line
	})
	return func() { close(line.answered) }
}

// stuckLine is a connection to a server that accepts requests and does not answer some of
// them.
type stuckLine struct {
	next     http.RoundTripper
	stuck    func(path string) bool
	answered chan struct{}
}

// RoundTrip passes on the requests that get an answer.
func (l *stuckLine) RoundTrip(r *http.Request) (*http.Response, error) {
	if !l.stuck(r.URL.Path) {
		return l.next.RoundTrip(r)
	}
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-l.answered:
		return nil, errors.New("the server did not answer")
	}
}

// WrappedRoundTripper gives access to the transport, for code that closes connections.
func (l *stuckLine) WrappedRoundTripper() http.RoundTripper { return l.next }

// TestManagersEndWithoutAKind stops managers that can't have all of their kinds, some at once
// and some after a while. If the server answers, the other kinds are reconciled before. Each manager has to end in
// the time that a pod gets.
func TestManagersEndWithoutAKind(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	undefine(t, api, gadgets)
	namespace := newNamespace(t, api)
	for _, k := range present {
		object := k.object()
		object.SetNamespace(namespace)
		object.SetName("a")
		if err := api.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range situations {
		for j, how := range adoptions {
			t.Run(s.name+"/"+how.name, func(t *testing.T) {
				server := s.reach(t, config)
				defer s.wait(server)()
				m, reconcilers := s.manager(t, how, server)
				ctx, tell := context.WithCancel(context.Background())
				defer tell()
				begun, ended := make(chan struct{}), make(chan error, 1)
				go func() { ended <- s.operate(ctx, m, func() { close(begun) }) }()
				await.Receive(t, "the manager to start", begun)
				if !s.account && s.stuck == nil {
					for _, r := range reconcilers {
						awaitAgreement(t, r, api, namespace)
					}
				}
				select {
				case err := <-ended:
					t.Fatalf("the manager ended by itself: %v", err)
				case <-time.After(time.Duration((i+j)%2) * 2 * time.Second):
				}
				tell()
				told := time.Now()
				select {
				case err := <-ended:
					if err != nil {
						t.Errorf("the manager ended with: %v", err)
					}
					t.Logf("it took %v", time.Since(told))
				case <-time.After(grace):
					t.Fatalf("the manager has not ended in %v", grace)
				}
			})
		}
	}
}
