package controller

import (
	"context"
	"crypto/sha256"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	webappv1 "my.domain/guestbook/api/v1"
)

const (
	configMapField  = ".spec.configMapName"
	configHashNote  = "webapp.my.domain/config-hash"
	guestbookLabel  = "webapp.my.domain/guestbook"
	typeAvailable   = "Available"
	reasonNoConfig  = "ConfigMapNotFound"
	reasonAvailable = "AsWanted"
	reasonNotReady  = "NotReady"
)

// GuestbookReconciler reconciles a Guestbook object
type GuestbookReconciler struct {
	client.Client
	Scheme *runtime.Scheme
}

// +kubebuilder:rbac:groups=webapp.my.domain,resources=guestbooks,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=webapp.my.domain,resources=guestbooks/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=webapp.my.domain,resources=guestbooks/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=core,resources=configmaps,verbs=get;list;watch

// Reconcile makes the Deployment of a Guestbook what the Guestbook says, and tells
// in its status how far it is.
func (r *GuestbookReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	log := logf.FromContext(ctx)

	var guestbook webappv1.Guestbook
	if err := r.Get(ctx, req.NamespacedName, &guestbook); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}

	hash, err := r.configHash(ctx, &guestbook)
	if apierrors.IsNotFound(err) {
		return ctrl.Result{}, r.report(ctx, &guestbook, 0, reasonNoConfig)
	}
	if err != nil {
		return ctrl.Result{}, err
	}

	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: guestbook.Name, Namespace: guestbook.Namespace}}
	result, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		shape(deployment, &guestbook, hash)
		return controllerutil.SetControllerReference(&guestbook, deployment, r.Scheme)
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	log.V(1).Info("Reconciled the Deployment", "result", result)

	reason := reasonAvailable
	if deployment.Status.ReadyReplicas < *deployment.Spec.Replicas {
		reason = reasonNotReady
	}
	return ctrl.Result{}, r.report(ctx, &guestbook, deployment.Status.ReadyReplicas, reason)
}

// configHash changes with the ConfigMap that the Guestbook names.
func (r *GuestbookReconciler) configHash(ctx context.Context, guestbook *webappv1.Guestbook) (string, error) {
	if guestbook.Spec.ConfigMapName == "" {
		return "", nil
	}
	var config corev1.ConfigMap
	key := client.ObjectKey{Namespace: guestbook.Namespace, Name: guestbook.Spec.ConfigMapName}
	if err := r.Get(ctx, key, &config); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, config.Data))), nil
}

// shape writes into the Deployment what the Guestbook decides, and leaves the rest
// to the server and to others.
func shape(deployment *appsv1.Deployment, guestbook *webappv1.Guestbook, hash string) {
	labels := map[string]string{guestbookLabel: guestbook.Name}
	deployment.Labels = labels
	deployment.Spec.Replicas = guestbook.Spec.Replicas
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	template := &deployment.Spec.Template
	template.Labels = labels
	template.Annotations = map[string]string{configHashNote: hash}
	if len(template.Spec.Containers) != 1 {
		template.Spec.Containers = make([]corev1.Container, 1)
	}
	container := &template.Spec.Containers[0]
	container.Name = "guestbook"
	container.Image = guestbook.Spec.Image
	container.EnvFrom = nil
	if name := guestbook.Spec.ConfigMapName; name != "" {
		container.EnvFrom = []corev1.EnvFromSource{{
			ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}},
		}}
	}
}

// report writes the status, if there is anything new to say.
func (r *GuestbookReconciler) report(ctx context.Context, guestbook *webappv1.Guestbook, ready int32, reason string) error {
	status := metav1.ConditionFalse
	if reason == reasonAvailable {
		status = metav1.ConditionTrue
	}
	changed := meta.SetStatusCondition(&guestbook.Status.Conditions, metav1.Condition{
		Type: typeAvailable, Status: status, Reason: reason, ObservedGeneration: guestbook.Generation,
	})
	if !changed && guestbook.Status.ReadyReplicas == ready {
		return nil
	}
	guestbook.Status.ReadyReplicas = ready
	return r.Status().Update(ctx, guestbook)
}

// guestbooksOf returns the requests for the Guestbooks that name a ConfigMap.
func (r *GuestbookReconciler) guestbooksOf(ctx context.Context, config *corev1.ConfigMap) []reconcile.Request {
	var guestbooks webappv1.GuestbookList
	if err := r.List(ctx, &guestbooks, client.InNamespace(config.Namespace), client.MatchingFields{configMapField: config.Name}); err != nil {
		logf.FromContext(ctx).Error(err, "Failed to list the Guestbooks of a ConfigMap", "configMap", config.Name)
		return nil
	}
	var requests []reconcile.Request
	for i := range guestbooks.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&guestbooks.Items[i])})
	}
	return requests
}

// SetupWithManager sets up the controller with the Manager.
func (r *GuestbookReconciler) SetupWithManager(mgr ctrl.Manager) error {
	err := mgr.GetFieldIndexer().IndexField(context.Background(), &webappv1.Guestbook{}, configMapField,
		func(obj client.Object) []string {
			if name := obj.(*webappv1.Guestbook).Spec.ConfigMapName; name != "" {
				return []string{name}
			}
			return nil
		})
	if err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&webappv1.Guestbook{}).
		Owns(&appsv1.Deployment{}).
		WatchesRawSource(source.Kind(mgr.GetCache(), &corev1.ConfigMap{}, handler.TypedEnqueueRequestsFromMapFunc(r.guestbooksOf))).
		Named("guestbook").
		Complete(r)
}
