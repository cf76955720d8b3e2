package controller

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// HideSecret is a transform for the cache: of a Secret it leaves the names of its keys,
// and digests of what is in them. That is enough to see that something has changed, and
// then there is nothing that a dump of the memory or a log could show.
//
// The digest is salted with the Secret's UID, so that equal values do not look alike.
// It ends in an annotation of a Deployment: one who may read that and the Secret's
// metadata can try out guesses. So, as everywhere, let secrets be long and random.
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

// HideOthers is a transform for the cache: of a Deployment, Service or ConfigMap that is
// no Site's and no claim of a hostname, it leaves the metadata. To know that a name is
// taken takes no more, and a cluster has many of them.
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

// outline is what tells an object from others, and whose it is. Annotations are left out
// as well: kubectl apply keeps all that it applied in one.
func outline(meta *metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: meta.Name, Namespace: meta.Namespace, UID: meta.UID, ResourceVersion: meta.ResourceVersion,
		CreationTimestamp: meta.CreationTimestamp, DeletionTimestamp: meta.DeletionTimestamp,
		OwnerReferences: meta.OwnerReferences,
	}
}
