package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// operator is a manager that runs the controller. Its requests are counted. It also has a
// client of the administrator.
type operator struct {
	*line
	t         *testing.T
	api       client.Client // the administrator's
	namespace string        // the operator's
	sites     string        // a namespace with Sites
	events    *record.FakeRecorder
	log       *journal
	cache     crcache.Cache
	stop      func() error
}

// newOperator runs an operator until the test ends. A test that stops it runs it again.
func newOperator(t *testing.T) *operator {
	t.Helper()
	config := administrator(t)
	api := directly(t, config)
	o := &operator{
		line: &line{}, t: t, api: api, namespace: newNamespace(t, api), sites: newNamespace(t, api),
		events: record.NewFakeRecorder(1000), log: &journal{},
	}
	o.run(o.line.to(config))
	t.Cleanup(func() {
		o.clean()
		if err := o.stop(); err != nil {
			t.Errorf("the manager ended with: %v", err)
		}
	})
	return o
}

// clean removes the Sites while the operator still runs. So the operator of the next test
// does not find them.
func (o *operator) clean() {
	ctx := context.Background() // the context of the test has ended
	if err := o.api.DeleteAllOf(ctx, &webv1alpha1.Site{}, client.InNamespace(o.sites)); err != nil {
		o.t.Error(err)
	}
	await.Until(o.t, "all Sites to be gone", func() bool {
		var sites webv1alpha1.SiteList
		err := o.api.List(ctx, &sites, client.InNamespace(o.sites))
		return err == nil && len(sites.Items) == 0
	})
}

// run starts a manager. It is like the one that main makes, as far as the controller is
// concerned.
func (o *operator) run(config *rest.Config) {
	o.t.Helper()
	others := crcache.ByObject{Transform: HideOthers(o.namespace)}
	options := ctrl.Options{
		Logger: o.log.logger(),
		Scheme: newScheme(o.t), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		GracefulShutdownTimeout: new(time.Minute),
		Controller:              ctrlconfig.Controller{SkipNameValidation: new(true), CacheSyncTimeout: await.Patience},
		Cache: crcache.Options{ByObject: map[client.Object]crcache.ByObject{
			&corev1.Secret{}: {Transform: HideSecret}, &corev1.ConfigMap{}: others, &corev1.Service{}: others, &appsv1.Deployment{}: others,
		}},
		Client: client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: new(true)}},
	}
	if err := drmanager.Configure(&options); err != nil {
		o.t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		o.t.Fatal(err)
	}
	o.cache = mgr.GetCache()
	reconciler := &SiteReconciler{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Events: o.events, Namespace: o.namespace}
	if err := reconciler.SetupWithManager(o.t.Context(), mgr); err != nil {
		o.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	var ended error
	running.Go(func() { ended = mgr.Start(ctx) })
	o.stop = sync.OnceValue(func() error {
		cancel()
		running.Wait()
		controlplane.HangUp(mgr.GetHTTPClient())
		return ended
	})
}

// key names an object in the namespace of the Sites.
func (o *operator) key(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: o.sites, Name: name}
}

func (o *operator) get(name string, obj client.Object) {
	o.t.Helper()
	if err := o.api.Get(o.t.Context(), o.key(name), obj); err != nil {
		o.t.Fatal(err)
	}
}

// newSite creates a Site.
func (o *operator) newSite(name string, spec webv1alpha1.SiteSpec) *webv1alpha1.Site {
	o.t.Helper()
	site := &webv1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: o.sites, Name: name}, Spec: spec}
	if err := o.api.Create(o.t.Context(), site); err != nil {
		o.t.Fatal(err)
	}
	return site
}

// change edits an object as the administrator.
func change[O client.Object](o *operator, name string, obj O, edit func(O)) {
	o.t.Helper()
	if err := o.api.Get(o.t.Context(), o.key(name), obj); err != nil {
		o.t.Fatal(err)
	}
	before := obj.DeepCopyObject().(client.Object)
	edit(obj)
	if err := o.api.Patch(o.t.Context(), obj, client.MergeFrom(before), client.FieldOwner("somebody-else")); err != nil {
		o.t.Fatal(err)
	}
}

// condition returns the reason of a condition, as the server has it.
func (o *operator) condition(site, kind string) string {
	var s webv1alpha1.Site
	if err := o.api.Get(o.t.Context(), o.key(site), &s); err != nil {
		return err.Error()
	}
	if c := apimeta.FindStatusCondition(s.Status.Conditions, kind); c != nil {
		return c.Reason
	}
	return ""
}

func (o *operator) awaitCondition(site, kind, reason string) {
	o.t.Helper()
	last := ""
	defer func() {
		if last != reason {
			o.t.Errorf("%s of %s is %q", kind, site, last)
		}
	}()
	await.Until(o.t, kind+" of "+site+" to be "+reason, func() bool {
		last = o.condition(site, kind)
		return last == reason
	})
}

// recorded returns the Events up to now.
func (o *operator) recorded() (all []string) {
	for {
		select {
		case e := <-o.events.Events:
			all = append(all, e)
		default:
			return all
		}
	}
}

// line is the connection to the server. It remembers the writes.
type line struct {
	mu      sync.Mutex // guards everything below
	writes  []string
	swallow string // the end of a path whose writes have no effect, although they succeed; empty for none
}

func (l *line) to(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{next, l} })
	return config
}

// written returns the writes since the last call that have a part in their text.
func (l *line) written(part string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	matching := slices.DeleteFunc(slices.Clone(l.writes), func(w string) bool { return !strings.Contains(w, part) })
	l.writes = nil
	return matching
}

// swallows has writes to a path have no effect.
func (l *line) swallows(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.swallow = path
}

// inShort is the part of a path after the namespace.
func inShort(path string) string {
	_, after, _ := strings.Cut(path, "/namespaces/")
	_, after, _ = strings.Cut(after, "/")
	return after
}

type counting struct {
	next http.RoundTripper
	line *line
}

// RoundTrip notes the request and passes it on.
func (c counting) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Method != http.MethodGet {
		c.line.mu.Lock()
		c.line.writes = append(c.line.writes, q.Method+" "+inShort(q.URL.Path))
		swallow := c.line.swallow
		c.line.mu.Unlock()
		if swallow != "" && strings.HasSuffix(q.URL.Path, swallow) {
			read := q.Clone(q.Context()) // what the write would have returned if it had changed nothing
			read.Method, read.Body, read.ContentLength, read.URL.RawQuery = http.MethodGet, nil, 0, ""
			return c.next.RoundTrip(read)
		}
	}
	return c.next.RoundTrip(q)
}

// WrappedRoundTripper gives access to the transport, for code that closes connections.
func (c counting) WrappedRoundTripper() http.RoundTripper { return c.next }

// journal collects what the operator logs about its reconciles.
type journal struct {
	mu   sync.Mutex // guards everything below
	done []reconciled
}

// reconciled is one line of the journal.
type reconciled struct {
	Msg       string
	Namespace string
	Name      string
	Steps     string
	Wrote     []string
	Because   string
}

func (j *journal) logger() logr.Logger {
	return funcr.NewJSON(func(line string) {
		if os.Getenv("OPERATOR_LOG") != "" {
			fmt.Fprintln(os.Stderr, line)
		}
		var r reconciled
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Msg != "Reconciled" {
			return
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		j.done = append(j.done, r)
	}, funcr.Options{Verbosity: 1})
}

// reconciled waits for a reconcile of a Site with a cause that contains all these parts. It
// forgets the lines before that one.
func (o *operator) reconciled(site string, parts ...string) (found reconciled) {
	o.t.Helper()
	await.Until(o.t, site+" to be reconciled because of "+strings.Join(parts, ", "), func() bool {
		o.log.mu.Lock()
		defer o.log.mu.Unlock()
		for i, r := range o.log.done {
			if r.Namespace == o.sites && r.Name == site && !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(r.Because, part) }) {
				found, o.log.done = r, o.log.done[i+1:]
				return true
			}
		}
		return false
	})
	return found
}
