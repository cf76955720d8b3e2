package canary

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// story is what happens to Secrets. The names of all of them begin with sealed.
type story struct {
	t         *testing.T
	hunt      *hunt
	api       client.Client // that of an administrator
	operator  *operator
	namespace string
	keeper    *corev1.ConfigMap // owns all Secrets
}

// secret is a Secret with a canary in each place.
func (s *story) secret(name string) *corev1.Secret {
	about := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.namespace, Name: name, Labels: map[string]string{"app": "shown"},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(s.keeper, corev1.SchemeGroupVersion.WithKind("ConfigMap"))},
		Annotations:     map[string]string{"note": s.hunt.plant("an annotation of " + name)},
	}}
	about.Data = map[string][]byte{"password": []byte(s.hunt.plant("data of " + name))}
	about.StringData = map[string]string{"text": s.hunt.plant("stringData of " + name)}
	return about
}

// create has somebody create an object, and waits until the operator knows it.
func (s *story) create(about client.Object, who string) {
	s.t.Helper()
	must(s.t, s.api.Create(s.t.Context(), about, client.FieldOwner(who)))
	s.await(about)
}

// update is create's other half.
func (s *story) update(about client.Object, who string) {
	s.t.Helper()
	must(s.t, s.api.Update(s.t.Context(), about, client.FieldOwner(who)))
	s.await(about)
}

// await waits until the operator's cache has the object as it is, so that each write is a delta.
func (s *story) await(about client.Object) {
	s.t.Helper()
	for _, form := range []client.Object{about.DeepCopyObject().(client.Object), asMap(), asMetadata()} {
		if form.GetObjectKind().GroupVersionKind().Kind != "" && about.GetObjectKind().GroupVersionKind().Group == custom.Group {
			form = newCustom()
		}
		await.Success(s.t, "the operator to see "+about.GetName(), func() error {
			err := s.operator.GetCache().Get(s.t.Context(), client.ObjectKeyFromObject(about), form)
			if err == nil && form.GetResourceVersion() != about.GetResourceVersion() {
				err = fmt.Errorf("it has version %s, and not %s", form.GetResourceVersion(), about.GetResourceVersion())
			}
			return err
		})
	}
}

// life is that of a Secret from its creation to the one that takes its name.
func (s *story) life() {
	about := s.secret("sealed-life")
	about.Finalizers = []string{"example.com/hold"}
	s.values(about)
	s.create(about, "alice")
	about.Data["password"] = []byte(s.hunt.plant("data that changed"))
	about.StringData = map[string]string{"text": s.hunt.plant("stringData that changed"), "more": s.hunt.plant("a key that was added")}
	about.Annotations["note"] = s.hunt.plant("an annotation that changed")
	s.update(about, "bob")
	delete(about.Data, "more")
	delete(about.Data, "document")
	about.Annotations["another"] = s.hunt.plant("an annotation that was added")
	about.Labels["tier"] = "shown"
	s.update(about, "alice")
	about.Annotations, about.Data = nil, nil
	s.update(about, "bob")
	about.Data = map[string][]byte{"password": []byte(s.hunt.plant("data that came back"))}
	about.Annotations = map[string]string{"note": s.hunt.plant("an annotation that came back")}
	about.Immutable = new(true)
	s.update(about, "alice")
	must(s.t, s.api.Delete(s.t.Context(), about))
	must(s.t, s.api.Get(s.t.Context(), client.ObjectKeyFromObject(about), about))
	about.Annotations["note"] = s.hunt.plant("an annotation of one that is being deleted")
	s.update(about, "bob")
	about.Finalizers = nil
	must(s.t, s.api.Update(s.t.Context(), about))
	s.create(s.secret("sealed-life"), "alice")
}

// values are such as need escapes, have a form, or are long.
func (s *story) values(about *corev1.Secret) {
	certificate := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte(strings.Repeat(s.hunt.plant("what is in a PEM block")+" ", 20))})
	document, err := json.Marshal(map[string]any{"auth": map[string]string{
		"password": s.hunt.plant("a JSON document"),
		"both":     base64.StdEncoding.EncodeToString([]byte("user:" + s.hunt.plant("base64 in a JSON document"))),
	}})
	must(s.t, err)
	about.Data["tls.key"] = append([]byte(s.hunt.plant("before a PEM block")+"\n"), certificate...)
	about.Data["document"] = document
	about.Data["quoted"] = []byte("\"'`\\\n\t\x00\xff<&>" + s.hunt.plant("data to be escaped") + "{{.}}%s$HOME")
	about.Data["long"] = []byte(strings.Repeat(s.hunt.plant("data of 100 KB")+strings.Repeat(" ", 1000), 100))
	about.Data["empty"] = nil
}

// managed has an entry of managed fields that speaks of elements which are nowhere else.
func (s *story) managed() {
	about := s.secret("sealed-managed")
	s.create(about, "alice")
	value, key := s.hunt.plant("a value in managed fields"), s.hunt.plant("a key in managed fields")
	fields := fmt.Sprintf(`{"f:metadata":{"f:finalizers":{"v:\"example.com/%s\"":{}},"f:ownerReferences":{"k:{\"uid\":\"%s\"}":{"f:name":{}}}}}`, value, key)
	now := metav1.Now()
	about.ManagedFields = append(about.ManagedFields, metav1.ManagedFieldsEntry{
		Manager: "odd <b>%s", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &now,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
	})
	s.update(about, "alice")
	if text := fmt.Sprint(about.ManagedFields); !strings.Contains(text, value) || !strings.Contains(text, key) {
		s.t.Errorf("the server has dropped managed fields: %s", text)
	}
	about.Data["password"] = []byte(s.hunt.plant("data with odd managed fields"))
	s.update(about, "bob")
}

// explain prints what the inspector says, if something has not happened.
func (s *story) explain() {
	if !s.t.Failed() {
		return
	}
	v := newVisitor(s.t, s.operator)
	for _, what := range []string{"loops", "controllers", "reconciles"} {
		s.t.Logf("%s: %s", what, v.get("GET /delta/v1/"+what, v.base+"/delta/v1/"+what))
	}
}

// troubles are Secrets over which parts of the operator stumble.
func (s *story) troubles() {
	defer s.explain()
	for _, name := range []string{"failing", "panic", "predicate", "handler", "stumble"} {
		about := s.secret("sealed-" + name)
		s.create(about, "alice")
		about.Data["password"] = []byte(s.hunt.plant("data that changed of " + about.Name))
		s.update(about, "bob")
	}
	must(s.t, s.api.Create(s.t.Context(), s.secret("sealed-refused")))
	must(s.t, s.api.Create(s.t.Context(), s.secret("sealed-selfish")))
	await.Until(s.t, "an Event of a controller that is called by what it writes", func() bool { return s.hasEvent("sealed-selfish") })
	s.operator.content.Store(true)
}

// fights are two writers who undo each other's writes, of a Secret and of one of another group.
func (s *story) fights() {
	about := s.secret("sealed-contested")
	s.create(about, "alice")
	data, notes := s.pair("contested data"), s.pair("a contested annotation")
	s.fight(about, func(i int) { about.Data["password"], about.Annotations["note"] = []byte(data[i]), notes[i] })

	other := newCustom()
	other.SetNamespace(s.namespace)
	other.SetName("sealed-custom")
	other.Object["spec"] = map[string]any{"token": s.hunt.plant("a custom Secret")}
	s.create(other, "alice")
	token, key, element := s.pair("a contested custom Secret"), s.pair("a key of a custom Secret"), s.hunt.plant("an element of a custom Secret")
	s.fight(other, func(i int) {
		other.Object["spec"] = map[string]any{
			"token": token[i], "map": map[string]any{key[0]: token[i]},
			"list": []any{map[string]any{"name": element, "value": token[i]}},
		}
	})
}

func (s *story) pair(place string) [2]string {
	return [2]string{s.hunt.plant(place), s.hunt.plant(place)}
}

// fight has each of two writers set values of its own, until the operator publishes an Event of it.
func (s *story) fight(about client.Object, set func(writer int)) {
	s.t.Helper()
	await.Until(s.t, "an Event of the fight over "+about.GetName(), func() bool {
		for i, writer := range []string{"alice", "bob"} {
			set(i)
			s.update(about, writer)
		}
		return s.hasEvent(about.GetName())
	})
}

func (s *story) hasEvent(name string) bool {
	s.t.Helper()
	var all eventsv1.EventList
	must(s.t, s.api.List(s.t.Context(), &all, client.InNamespace(s.namespace)))
	return slices.ContainsFunc(all.Items, func(e eventsv1.Event) bool { return e.Reason == "HotLoop" && e.Regarding.Name == name })
}

// kubectl applies a Secret as people do it, which leaves all of it in an annotation.
func (s *story) kubectl(kubeconfig string) {
	about := &corev1.Secret{}
	for range 2 {
		text := fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata:\n  name: sealed-applied\n  annotations: {note: %s}\n"+
			"data: {password: %s}\nstringData: {text: %s}\n", s.hunt.plant("an applied annotation"),
			base64.StdEncoding.EncodeToString([]byte(s.hunt.plant("applied data"))), s.hunt.plant("applied stringData"))
		run(s.t, command{name: binary(s.t, "kubectl"), args: []string{"--kubeconfig", kubeconfig, "-n", s.namespace, "apply", "-f", "-"}, in: text})
		must(s.t, s.api.Get(s.t.Context(), client.ObjectKey{Namespace: s.namespace, Name: "sealed-applied"}, about))
		s.await(about)
	}
	if !strings.Contains(about.Annotations[corev1.LastAppliedConfigAnnotation], "stringData") {
		s.t.Errorf("kubectl left %v", about.Annotations)
	}
}

// spoiled is a Secret that the operator can't read, for one reason after the other.
func (s *story) spoiled(l *line) {
	about := s.secret(spoiled)
	s.create(about, "alice")
	for _, how := range slices.Sorted(maps.Keys(spoilers)) {
		before := s.operator.trouble()
		l.spoiling(spoilers[how])
		about.Data["password"] = []byte(s.hunt.plant("data that arrives with " + how))
		about.Annotations["note"] = s.hunt.plant("an annotation that arrives with " + how)
		must(s.t, s.api.Update(s.t.Context(), about, client.FieldOwner("bob")))
		await.Success(s.t, "all forms of the cache to be told rubbish, with "+how, func() error {
			s.operator.noteStatus(s.t.Context())
			s.operator.look(s.t)
			told := l.spoilt()
			if told["maps"] == 0 || told["metadata"] == 0 || told["objects"] == 0 || s.operator.trouble() == before {
				return fmt.Errorf("they were told %v", told)
			}
			return nil
		})
		s.operator.noteStatus(s.t.Context())
		s.operator.look(s.t)
		l.spoiling(nil)
		about.Data["password"] = []byte(s.hunt.plant("data after " + how))
		s.update(about, "alice")
	}
}
