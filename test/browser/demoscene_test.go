//go:build demopage

package browser

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// failing is the Site whose Deployment the server refuses.
const failing = "legacy"

// fill gives the operator what there is to see: the samples, a Site whose Deployment the server
// refuses, and one whose Deployment somebody else scales, too.
func (w *world) fill(t *testing.T) {
	t.Helper()
	w.forbid(t, failing, "an image needs a digest")
	w.install(t, "config/samples", "default")
	w.create(t, siteOf("default", failing), siteOf("default", "contested"))
	w.fight(t, func() error {
		var events eventsv1.EventList
		err := w.api.List(t.Context(), &events, client.InNamespace("default"))
		if err == nil && !slices.ContainsFunc(events.Items, func(e eventsv1.Event) bool { return e.Reason == "HotLoop" && e.Regarding.Name == "contested" }) {
			err = fmt.Errorf("the guard's Event, which takes a right, is not there among %d", len(events.Items))
		}
		return err
	})
}

// fight has somebody else scale a Deployment again and again, and the operator undo it, until there is no error. The guard takes a
// share of the processor, so on a busy machine it does not look at each round.
func (w *world) fight(t *testing.T, until func() error) {
	t.Helper()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "contested"}}
	rounds := 0
	await.Success(t, "the guard to see a fight", func() error {
		if err := w.api.Get(t.Context(), client.ObjectKeyFromObject(deployment), deployment); err != nil {
			return err
		}
		if *deployment.Spec.Replicas == 1 { // the operator has won a round
			w.edit(t, deployment, "horizontal-pod-autoscaler", `{"spec":{"replicas":5}}`)
			rounds++
		}
		if err := until(); err != nil || rounds < 12 {
			return fmt.Errorf("after %d rounds: %w", rounds, errors.Join(err, errors.New("not yet")))
		}
		return nil
	})
}

// forbid has the server refuse Deployments of a name.
func (w *world) forbid(t *testing.T, name, why string) {
	t.Helper()
	about := metav1.ObjectMeta{Name: "digests"}
	w.create(t, &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: about,
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
			}}}},
			MatchConditions: []admissionv1.MatchCondition{{Name: "it", Expression: fmt.Sprintf("object.metadata.name == %q", name)}},
			Validations:     []admissionv1.Validation{{Expression: "false", Message: why}},
		},
	}, &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: about,
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: about.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	})
	labels := map[string]string{"app": name}
	probe := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
		},
	}}
	await.Success(t, "the server to refuse the Deployment", func() error {
		err := w.api.Create(t.Context(), probe.DeepCopy(), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), why) {
			return errors.Join(errors.New("it is not refused for that"), err)
		}
		return nil
	})
}
