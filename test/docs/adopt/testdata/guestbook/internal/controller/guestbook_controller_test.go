package controller

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	webappv1 "my.domain/guestbook/api/v1"
)

var _ = Describe("Guestbook Controller", func() {
	const (
		timeout  = 30 * time.Second
		interval = 50 * time.Millisecond
		still    = 300 * time.Millisecond
	)

	var namespace string

	BeforeEach(func() {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "guestbooks-"}}
		Expect(k8sClient.Create(ctx, ns)).To(Succeed())
		namespace = ns.Name
	})

	create := func(name string, change func(*webappv1.Guestbook)) *webappv1.Guestbook {
		GinkgoHelper()
		guestbook := &webappv1.Guestbook{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
			Spec:       webappv1.GuestbookSpec{Image: "guestbook:1"},
		}
		if change != nil {
			change(guestbook)
		}
		Expect(k8sClient.Create(ctx, guestbook)).To(Succeed())
		return guestbook
	}
	deployment := func(g Gomega, name string) *appsv1.Deployment {
		GinkgoHelper()
		found := &appsv1.Deployment{}
		g.Expect(k8sClient.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, found)).To(Succeed())
		return found
	}
	available := func(g Gomega, name string) *metav1.Condition {
		GinkgoHelper()
		found := &webappv1.Guestbook{}
		g.Expect(k8sClient.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, found)).To(Succeed())
		condition := meta.FindStatusCondition(found.Status.Conditions, typeAvailable)
		g.Expect(condition).NotTo(BeNil())
		return condition
	}

	It("creates a Deployment that it owns", func() {
		guestbook := create("web", nil)
		Eventually(func(g Gomega) {
			found := deployment(g, "web")
			g.Expect(metav1.IsControlledBy(found, guestbook)).To(BeTrue())
			g.Expect(found.Spec.Replicas).To(HaveValue(BeEquivalentTo(1)))
			g.Expect(found.Spec.Template.Spec.Containers[0].Image).To(Equal("guestbook:1"))
		}, timeout, interval).Should(Succeed())
	})

	It("follows the Guestbook", func() {
		guestbook := create("web", nil)
		for replicas := range int32(4) {
			patch := client.MergeFrom(guestbook.DeepCopy())
			guestbook.Spec.Replicas = ptr.To(replicas)
			guestbook.Spec.Image = fmt.Sprint("guestbook:", replicas)
			Expect(k8sClient.Patch(ctx, guestbook, patch)).To(Succeed())
			Eventually(func(g Gomega) {
				found := deployment(g, "web")
				g.Expect(found.Spec.Replicas).To(HaveValue(Equal(replicas)))
				g.Expect(found.Spec.Template.Spec.Containers[0].Image).To(Equal(guestbook.Spec.Image))
			}, timeout, interval).Should(Succeed())
		}
	})

	It("brings back a Deployment that somebody deleted", func() {
		create("web", nil)
		var first *appsv1.Deployment
		Eventually(func(g Gomega) { first = deployment(g, "web") }, timeout, interval).Should(Succeed())
		Expect(k8sClient.Delete(ctx, first)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(deployment(g, "web").UID).NotTo(Equal(first.UID))
		}, timeout, interval).Should(Succeed())
	})

	It("takes back what somebody changed, and leaves alone what it does not decide", func() {
		create("web", nil)
		var found *appsv1.Deployment
		Eventually(func(g Gomega) { found = deployment(g, "web") }, timeout, interval).Should(Succeed())
		patch := client.MergeFrom(found.DeepCopy())
		found.Spec.Replicas = ptr.To[int32](7)
		found.Spec.RevisionHistoryLimit = ptr.To[int32](3)
		Expect(k8sClient.Patch(ctx, found, patch)).To(Succeed())
		Eventually(func(g Gomega) {
			found := deployment(g, "web")
			g.Expect(found.Spec.Replicas).To(HaveValue(BeEquivalentTo(1)))
			g.Expect(found.Spec.RevisionHistoryLimit).To(HaveValue(BeEquivalentTo(3)))
		}, timeout, interval).Should(Succeed())
	})

	It("tells how many Pods are ready", func() {
		create("web", nil)
		Eventually(func(g Gomega) {
			g.Expect(available(g, "web").Reason).To(Equal(reasonNotReady))
		}, timeout, interval).Should(Succeed())

		By("playing the Deployment controller, which envtest does not have")
		Eventually(func(g Gomega) {
			found := deployment(g, "web")
			found.Status.Replicas, found.Status.ReadyReplicas = 1, 1
			g.Expect(k8sClient.Status().Update(ctx, found)).To(Succeed())
		}, timeout, interval).Should(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(available(g, "web").Status).To(Equal(metav1.ConditionTrue))
		}, timeout, interval).Should(Succeed())
	})

	It("waits for a ConfigMap, and replaces the Pods when it changes", func() {
		create("web", func(guestbook *webappv1.Guestbook) { guestbook.Spec.ConfigMapName = "settings" })
		create("other", nil)
		Eventually(func(g Gomega) {
			g.Expect(available(g, "web").Reason).To(Equal(reasonNoConfig))
		}, timeout, interval).Should(Succeed())

		config := &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "settings", Namespace: namespace},
			Data:       map[string]string{"color": "blue"},
		}
		Expect(k8sClient.Create(ctx, config)).To(Succeed())
		hash := func(g Gomega) string { return deployment(g, "web").Spec.Template.Annotations[configHashNote] }
		var blue string
		Eventually(func(g Gomega) {
			blue = hash(g)
			g.Expect(blue).NotTo(BeEmpty())
		}, timeout, interval).Should(Succeed())

		config.Data["color"] = "red"
		Expect(k8sClient.Update(ctx, config)).To(Succeed())
		Eventually(hash, timeout, interval).ShouldNot(Equal(blue))
	})

	It("serves many at once", func() {
		const many = 25
		for i := range many {
			create(fmt.Sprint("web-", i), func(guestbook *webappv1.Guestbook) { guestbook.Spec.Replicas = ptr.To(int32(i)) })
		}
		Eventually(func(g Gomega) {
			var found appsv1.DeploymentList
			g.Expect(k8sManager.GetClient().List(ctx, &found, client.InNamespace(namespace))).To(Succeed())
			g.Expect(found.Items).To(HaveLen(many))
		}, timeout, interval).Should(Succeed())

		By("scaling all of them")
		for i := range many {
			guestbook := &webappv1.Guestbook{}
			guestbook.Name, guestbook.Namespace = fmt.Sprint("web-", i), namespace
			patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":50}}`))
			Expect(k8sClient.Patch(ctx, guestbook, patch)).To(Succeed())
		}
		Eventually(func(g Gomega) {
			var found appsv1.DeploymentList
			g.Expect(k8sClient.List(ctx, &found, client.InNamespace(namespace))).To(Succeed())
			for i := range found.Items {
				g.Expect(found.Items[i].Spec.Replicas).To(HaveValue(BeEquivalentTo(50)))
			}
		}, timeout, interval).Should(Succeed())
	})

	It("does nothing when there is nothing to do", func() {
		create("web", nil)
		Eventually(func(g Gomega) {
			g.Expect(available(g, "web").Reason).To(Equal(reasonNotReady))
		}, timeout, interval).Should(Succeed())
		before := deployment(Default, "web")
		Consistently(func(g Gomega) {
			g.Expect(deployment(g, "web").ResourceVersion).To(Equal(before.ResourceVersion))
		}, still, interval).Should(Succeed())
	})

	It("does not mind a Guestbook that is gone", func() {
		reconciler := &GuestbookReconciler{Client: k8sClient, Scheme: k8sClient.Scheme()}
		name := types.NamespacedName{Namespace: namespace, Name: "none"}
		_, err := reconciler.Reconcile(ctx, reconcile.Request{NamespacedName: name})
		Expect(err).NotTo(HaveOccurred())
		Expect(apierrors.IsNotFound(k8sClient.Get(ctx, name, &appsv1.Deployment{}))).To(BeTrue())
	})
})
