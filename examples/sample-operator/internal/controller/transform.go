package controller

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// HideSecret is a transform for the cache. It keeps the names of a Secret's keys, and digests
// of the values. That is enough to see that a value has changed. So a dump of the memory or a
// log can't show any value.
//
// The digest is salted with the Secret's UID, so that equal values have different digests. It
// gets into an annotation of a Deployment. Somebody who may read that and the Secret's
// metadata can try out guesses. So, as everywhere, secrets should be long and random.
func HideSecret(obj any) (any, error) {
	secret, ok := obj.(*corev1.Secret)
	if !ok {
		return obj, nil
	}
	hidden := &corev1.Secret{
		TypeMeta: secret.TypeMeta, ObjectMeta: outline(&secret.ObjectMeta), Type: secret.Type,
		Data: make(map[string][]byte, len(secret.Data)),
	}
	for key, value := range secret.Data {
		hidden.Data[key] = []byte(digestOf(map[string][]byte{string(secret.UID): value}))
	}
	return hidden, nil
}

// HideOthers is a transform for the cache. If a Deployment, Service or ConfigMap does not
// belong to a Site and is not a claim of a hostname, it keeps only the metadata. That is
// enough to know that a name is taken, and a cluster has many such objects.
func HideOthers(namespace string) toolscache.TransformFunc {
	return func(obj any) (any, error) {
		object, ok := obj.(client.Object)
		if !ok || controlledBySite(object) {
			return obj, nil
		}
		if _, ok := claimedIn(namespace, object); ok {
			return obj, nil
		}
		switch object := obj.(type) {
		case *appsv1.Deployment:
			return &appsv1.Deployment{TypeMeta: object.TypeMeta, ObjectMeta: outline(&object.ObjectMeta)}, nil
		case *corev1.Service:
			return &corev1.Service{TypeMeta: object.TypeMeta, ObjectMeta: outline(&object.ObjectMeta)}, nil
		case *corev1.ConfigMap:
			return &corev1.ConfigMap{TypeMeta: object.TypeMeta, ObjectMeta: outline(&object.ObjectMeta)}, nil
		default:
			return obj, nil
		}
	}
}

// outline is the part of the metadata that identifies an object and names its owners. It has
// no annotations, because kubectl apply keeps everything that it applied in one.
func outline(meta *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: meta.Name, Namespace: meta.Namespace, UID: meta.UID, ResourceVersion: meta.ResourceVersion,
		CreationTimestamp: meta.CreationTimestamp, DeletionTimestamp: meta.DeletionTimestamp,
		OwnerReferences: meta.OwnerReferences,
	}
}
