package controller

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

const (
	ready        = webv1alpha1.ConditionReady
	hostnameHeld = webv1alpha1.ConditionHostnameHeld
	secretsThere = webv1alpha1.ConditionSecretsFound
)

// settled waits until the operator has seen everything that it has made for a new Site. It
// forgets the writes and Events up to then.
func (o *operator) settled(site string) {
	o.t.Helper()
	o.reconciledForAll(site, "Owned ConfigMap", "Owned Service", "Owned Deployment")
	o.written("")
	o.recorded()
}

// reconciledForAll waits until a Site has been reconciled because of all these changes, in
// one call or in several. It returns what was written to children meanwhile.
func (o *operator) reconciledForAll(site string, causes ...string) (wrote []string) {
	o.t.Helper()
	await.Until(o.t, site+" to be reconciled because of "+strings.Join(causes, ", "), func() bool {
		o.log.mu.Lock()
		defer o.log.mu.Unlock()
		for _, cause := range causes {
			if !slices.ContainsFunc(o.log.done, func(r reconciled) bool {
				return r.Namespace == o.sites && r.Name == site && strings.Contains(r.Because, cause)
			}) {
				return false
			}
		}
		for _, r := range o.log.done {
			wrote = append(wrote, r.Wrote...)
		}
		o.log.done = nil
		return true
	})
	return wrote
}

// TestASiteGetsItsChildren also counts the writes, and checks that they end there.
func TestASiteGetsItsChildren(t *testing.T) {
	o := newOperator(t)
	o.newSite("shop", webv1alpha1.SiteSpec{
		Image: "web:1", Replicas: new(int32(3)), Port: 8000, Hostname: "shop.example.com", Files: map[string]string{"index.html": "hi"},
	})
	o.reconciled("shop", " Site ", "Added")
	if reason := o.condition("shop", hostnameHeld); reason != reasonHeld {
		t.Errorf("the hostname is %s", reason)
	}
	if reason := o.condition("shop", ready); reason != reasonProgressing {
		t.Errorf("the Site is %s", reason)
	}
	if events := o.recorded(); len(events) != 1 || events[0] != "Normal Created Created ConfigMap/shop-files, Service/shop, Deployment/shop" {
		t.Errorf("recorded %q", events)
	}
	var deployment appsv1.Deployment
	var service corev1.Service
	o.get("shop", &deployment)
	o.get("shop", &service)
	pod := deployment.Spec.Template
	if *deployment.Spec.Replicas != 3 || pod.Spec.Containers[0].Image != "web:1" || pod.Spec.Containers[0].Ports[0].ContainerPort != 8000 ||
		pod.Annotations[filesAnnotation] == "" || pod.Annotations[secretsAnnotation] != "" {
		t.Errorf("the Deployment is %+v", deployment.Spec)
	}
	if service.Spec.Ports[0].Port != 80 || service.Spec.Ports[0].TargetPort.String() != "http" {
		t.Errorf("the Service is %+v", service.Spec)
	}

	// All these writes come back as events.
	o.reconciled("shop", "Owned Deployment")
	if writes := o.written(""); len(writes) != 6 {
		t.Errorf("a Site took %d writes, want finalizer, claim, three children and status: %q", len(writes), writes)
	}
}

// trigger is a change, and what it should cause.
type trigger struct {
	name    string
	change  func()
	because string
	steps   string
	writes  []string
	tells   string // part of the Event
}

// causes are changes of a Site that is called shop, and of the objects that it has or names.
func (o *operator) causes() []trigger {
	o.t.Helper()
	site := func(edit func(*webv1alpha1.Site)) func() {
		return func() { change(o, "shop", &webv1alpha1.Site{}, edit) }
	}
	const status = "PATCH sites/shop/status"
	return []trigger{
		{"a label of the Site", site(func(s *webv1alpha1.Site) { s.Labels = map[string]string{"a": "b"} }), "Primary Site", "status", nil, ""},
		{"the status of the Deployment", o.becomesReady, "Owned Deployment", "status", []string{status}, ""},
		{"somebody else's status of the Site", o.spoilStatus, "Primary Site", "status", []string{status}, ""},
		{
			"replicas", site(func(s *webv1alpha1.Site) { s.Spec.Replicas = new(int32(5)) }),
			"Primary Site", "deployment,status", []string{"PATCH deployments/shop", status}, "spec.replicas: 1 → 5",
		},
		{
			"files", site(func(s *webv1alpha1.Site) { s.Spec.Files["index.html"] = "hello" }),
			"Primary Site", "files,deployment,status", []string{"PATCH configmaps/shop-files", "PATCH deployments/shop", status}, `(spec.files["index.html"]: "hi" → "hello")`,
		},
		{
			"the content of a Secret, but not its labels", func() {
				change(o, "database", &corev1.Secret{}, func(s *corev1.Secret) { s.Labels = map[string]string{"a": "b"} })
				change(o, "database", &corev1.Secret{}, func(s *corev1.Secret) { s.Data["password"] = []byte("swordfish") })
			},
			"Mapped Secret", "deployment,status", []string{"PATCH deployments/shop", status}, "Wrote Deployment/shop because of Mapped Secret " + o.sites + "/database Updated",
		},
		{
			"somebody else's port of the Service", func() {
				change(o, "shop", &corev1.Service{}, func(s *corev1.Service) { s.Spec.Ports[0].Port = 81 })
			},
			"Owned Service", "service,status", []string{"PATCH services/shop", "PATCH services/shop", "PATCH services/shop", status}, "Wrote Service/shop because of Owned Service " + o.sites + "/shop Updated",
		},
		{
			"somebody else's port of the Pods", func() {
				change(o, "shop", &appsv1.Deployment{}, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Ports[0].ContainerPort = 81 })
			},
			"Owned Deployment", "deployment,status", []string{"PATCH deployments/shop", "PATCH deployments/shop", "PATCH deployments/shop", status}, "Wrote Deployment/shop because of Owned Deployment",
		},
		{
			"an annotation of the Service that is not ours", func() {
				change(o, "shop", &corev1.Service{}, func(s *corev1.Service) { s.Annotations = map[string]string{"a": "b"} })
			},
			"Owned Service", "service,status", nil, "",
		},
		{
			"the end of the files", func() {
				if err := o.api.Delete(o.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: o.sites, Name: "shop-files"}}); err != nil {
					o.t.Fatal(err)
				}
			},
			"Owned ConfigMap " + o.sites + "/shop-files Deleted", "files,status", []string{"PATCH configmaps/shop-files", status}, "Wrote ConfigMap/shop-files",
		},
		{
			"the hostname", site(func(s *webv1alpha1.Site) { s.Spec.Hostname = "other.example.com" }),
			"Primary Site", "hostname,status", []string{"DELETE configmaps/hostname-asked.example.com", "POST configmaps", status}, "Normal HostnameReleased Gave back asked.example.com",
		},
	}
}

// TestOnlyWhatIsAskedForIsDone makes one change after another. It checks which steps and
// which requests follow from each.
func TestOnlyWhatIsAskedForIsDone(t *testing.T) {
	o := newOperator(t)
	o.newSecret("database")
	o.newSite("shop", webv1alpha1.SiteSpec{
		Hostname: "asked.example.com", Files: map[string]string{"index.html": "hi"}, Secrets: []string{"database"},
	})
	o.settled("shop")
	for _, c := range o.causes() {
		t.Run(c.name, func(t *testing.T) {
			c.change()
			got := o.reconciled("shop", c.because)
			if writes := o.written(""); !slices.Equal(writes, c.writes) {
				t.Errorf("followed by %q, want %q", writes, c.writes)
			}
			if got.Steps != c.steps {
				t.Errorf("the steps are %s, want %s, because of %s", got.Steps, c.steps, got.Because)
			}
			if events := strings.Join(o.recorded(), "\n"); !strings.Contains(events, c.tells) || (c.tells == "") != (events == "") {
				t.Errorf("recorded %q, want %q", events, c.tells)
			}
			var now webv1alpha1.Site
			o.get("shop", &now)
			if len(got.Wrote) > 0 && (!slices.Equal(now.Status.LastChange.Wrote, got.Wrote) || !strings.Contains(now.Status.LastChange.Because, c.because)) {
				t.Errorf("the last change is said to be %+v", now.Status.LastChange)
			}
			o.echo("shop", got.Wrote)
		})
	}
}

// echo waits for the events of our own writes to children, and checks that they cause no
// writes.
func (o *operator) echo(site string, wrote []string) {
	o.t.Helper()
	var causes []string
	for _, child := range wrote {
		kind, _, _ := strings.Cut(child, "/")
		causes = append(causes, "Owned "+kind)
	}
	if again := o.reconciledForAll(site, causes...); len(again) > 0 {
		o.t.Errorf("to have written %q has led to writing %q", wrote, again)
	}
	if writes := o.written(""); len(writes) > 0 {
		o.t.Errorf("what was written has led to %q", writes)
	}
}

// becomesReady gives a Deployment the status that a cluster would give it.
func (o *operator) becomesReady() {
	o.t.Helper()
	var d appsv1.Deployment
	o.get("shop", &d)
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1}
	if err := o.api.Status().Update(o.t.Context(), &d, client.FieldOwner("a-cluster")); err != nil {
		o.t.Fatal(err)
	}
}

func (o *operator) spoilStatus() {
	o.t.Helper()
	var s webv1alpha1.Site
	o.get("shop", &s)
	s.Status.Hostname, s.Status.ReadyReplicas = "", 42
	if err := o.api.Status().Update(o.t.Context(), &s, client.FieldOwner("somebody-else")); err != nil {
		o.t.Fatal(err)
	}
}

func (o *operator) newSecret(name string) {
	o.t.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.sites, Name: name},
		Data:       map[string][]byte{"password": []byte("sesame")},
	}
	if err := o.api.Create(o.t.Context(), secret); err != nil {
		o.t.Fatal(err)
	}
}

// TestAMissingSecretLeavesThePodsAlone removes a Secret and creates it again.
func TestAMissingSecretLeavesThePodsAlone(t *testing.T) {
	o := newOperator(t)
	o.newSite("shop", webv1alpha1.SiteSpec{Secrets: []string{"database"}})
	o.awaitCondition("shop", secretsThere, reasonSecretMissing)
	if err := o.api.Get(t.Context(), o.key("shop"), &appsv1.Deployment{}); !apierrors.IsNotFound(err) {
		t.Errorf("there is a Deployment without its Secret (error %v)", err)
	}
	await.Until(t, "an Event about the Secret", func() bool { // it comes after the condition
		return slices.Contains(o.recorded(), "Warning SecretMissing The Pods stay as they are while there is no Secret database")
	})
	o.newSecret("database")
	o.awaitImage(webv1alpha1.DefaultImage)
	o.awaitCondition("shop", secretsThere, reasonFound)
	var before, after appsv1.Deployment
	o.get("shop", &before)
	if err := o.api.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: o.sites, Name: "database"}}); err != nil {
		t.Fatal(err)
	}
	o.awaitCondition("shop", secretsThere, reasonSecretMissing)
	change(o, "shop", &webv1alpha1.Site{}, func(s *webv1alpha1.Site) { s.Spec.Image = "web:2" })
	o.reconciled("shop", "Primary Site", "Updated")
	o.get("shop", &after)
	if after.Generation != before.Generation {
		t.Error("the Deployment was changed while a Secret was missing")
	}
	o.newSecret("database")
	o.awaitImage("web:2")
	o.awaitCondition("shop", secretsThere, reasonFound)
}

// awaitImage waits for the Deployment of the Site shop to have an image.
func (o *operator) awaitImage(image string) {
	o.t.Helper()
	await.Until(o.t, "the Deployment to have the image "+image, func() bool {
		var d appsv1.Deployment
		return o.api.Get(o.t.Context(), o.key("shop"), &d) == nil && d.Spec.Template.Spec.Containers[0].Image == image
	})
}
