package canary

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// TestNobodySeesASecret has an operator live through all that can happen to Secrets, and hunts
// through everything that it prints, logs, serves and publishes.
func TestNobodySeesASecret(t *testing.T) {
	logged.take()
	h := newHunt()
	config := shared.ForTest(t).Config()
	s := &story{t: t, hunt: h, api: directly(t, config)}
	s.prepare()
	l, lineConfig := newLine(t, config)
	s.operator = newOperator(t, h, lineConfig, s.namespace)
	s.operator.run(t)
	v := newVisitor(t, s.operator)
	live, hangUp := context.WithCancel(t.Context())
	v.listen(live, "GET /delta/v1/deltas/stream", "/delta/v1/deltas/stream", time.Minute)

	s.life()
	s.managed()
	s.kubectl(kubeconfig(t, config))
	s.troubles()
	s.fights()
	s.spoiled(l)
	for _, controller := range []string{"objects", "maps", "metadata", "handlers"} {
		s.operator.awaitCall(t, controller, "sealed-life")
	}

	hangUp()
	about := s.knowledge(v)
	v.routes(about)
	v.mistakes()
	v.page()
	s.operator.look(t)
	s.operator.noteStatus(t.Context())
	s.operator.queues.contents(t.Context(), s.operator.voice)
	newPlugin(v, s.nudges()).all(about)
	s.events()
	h.collect("the log", logged.take())
	h.judge(t)
}

// nudges returns what changes a Secret.
func (s *story) nudges() func() {
	about := s.secret("sealed-nudged")
	s.create(about, "alice")
	return func() {
		about.Data["password"] = []byte(s.hunt.plant("data that changed meanwhile"))
		s.update(about, "bob")
	}
}

// look asks the operator's probes and metrics.
func (o *operator) look(t *testing.T) {
	t.Helper()
	v := newVisitor(t, o)
	v.metrics(o.metrics)
	v.health(o.healthz)
	v.get("GET /delta/v1/kinds", v.base+"/delta/v1/kinds")
}

// prepare makes a namespace, the kind of another group, and the owner.
func (s *story) prepare() {
	s.t.Helper()
	if err := s.api.Create(s.t.Context(), manifests.Definition(custom, manifests.Anything())); !apierrors.IsAlreadyExists(err) {
		must(s.t, err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(custom)
	await.Success(s.t, "the server to serve the custom kind", func() error { return s.api.List(s.t.Context(), list) })
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "canary-"}}
	must(s.t, s.api.Create(s.t.Context(), namespace))
	s.namespace = namespace.Name
	s.keeper = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "keeper"}}
	must(s.t, s.api.Create(s.t.Context(), s.keeper))
}

// knowledge asks the inspector for what there is.
func (s *story) knowledge(v *visitor) *knowledge {
	s.t.Helper()
	about := &knowledge{namespace: s.namespace}
	var kinds v1.KindList
	must(s.t, json.Unmarshal(v.get("GET /delta/v1/kinds", v.base+"/delta/v1/kinds"), &kinds))
	for _, kind := range kinds.Items {
		about.kinds = append(about.kinds, kind.Name)
	}
	var controllers v1.ControllerList
	must(s.t, json.Unmarshal(v.get("GET /delta/v1/controllers", v.base+"/delta/v1/controllers"), &controllers))
	for _, controller := range controllers.Items {
		about.controllers = append(about.controllers, controller.Name)
	}
	var secrets corev1.SecretList
	must(s.t, s.api.List(s.t.Context(), &secrets, client.InNamespace(s.namespace)))
	for _, secret := range secrets.Items {
		about.secrets = append(about.secrets, secret.Name)
	}
	return about
}

// events collects those of the API, in both of its groups.
func (s *story) events() {
	s.t.Helper()
	for _, all := range []client.ObjectList{&corev1.EventList{}, &eventsv1.EventList{}} {
		must(s.t, s.api.List(s.t.Context(), all))
		text, err := json.Marshal(all)
		must(s.t, err)
		s.hunt.collect("Events", text)
	}
}

// directly returns a client that reads from the server.
func directly(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	api, err := client.New(config, client.Options{HTTPClient: controlplane.HTTPClientForTest(t, config), Scheme: scheme.Scheme})
	must(t, err)
	return api
}

// kubeconfig writes one for an administrator.
func kubeconfig(t *testing.T, config *rest.Config) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, controlplane.WriteKubeconfig(path, config))
	return path
}
