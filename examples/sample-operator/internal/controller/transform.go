package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	hidden := &corev1.Secret{TypeMeta: secret.TypeMeta, ObjectMeta: outline(secret), Type: secret.Type, Data: map[string][]byte{}}
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
		if object, ok := obj.(client.Object); !ok || controlledBySite(object) {
			return obj, nil
		} else if _, isClaim := claimedIn(namespace, object); isClaim {
			return obj, nil
		}
		switch object := obj.(type) {
		case *appsv1.Deployment:
			return &appsv1.Deployment{TypeMeta: object.TypeMeta, ObjectMeta: outline(object)}, nil
		case *corev1.Service:
			return &corev1.Service{TypeMeta: object.TypeMeta, ObjectMeta: outline(object)}, nil
		case *corev1.ConfigMap:
			return &corev1.ConfigMap{TypeMeta: object.TypeMeta, ObjectMeta: outline(object)}, nil
		}
		return obj, nil
	}
}

// outline is the part of the metadata that identifies an object and names its owners. It has
// no annotations, because kubectl apply keeps everything that it applied in one.
func outline(of metav1.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: of.GetName(), Namespace: of.GetNamespace(), UID: of.GetUID(), ResourceVersion: of.GetResourceVersion(),
		CreationTimestamp: of.GetCreationTimestamp(), DeletionTimestamp: of.GetDeletionTimestamp(),
		OwnerReferences: of.GetOwnerReferences(),
	}
}

// readSecrets reads the Secrets that the Site names from the cache, which has digests instead
// of values. The digest is of all of them. It is empty if there are none, or if some are
// missing.
func (w *work) readSecrets(ctx context.Context) (digest string, missing []string, err error) {
	digests := map[string]string{}
	for _, name := range w.site.Spec.Secrets {
		var secret corev1.Secret
		key := client.ObjectKey{Namespace: w.site.Namespace, Name: name}
		switch err := w.Get(ctx, key, &secret); {
		case apierrors.IsNotFound(err):
			missing = append(missing, name)
		case err != nil:
			return "", nil, fmt.Errorf("read Secret %s: %w", key, err)
		default:
			digests[name] = digestOf(secret.Data)
		}
	}
	if len(missing) == 0 && len(digests) > 0 {
		digest = digestOf(digests)
	}
	return digest, missing, nil
}

// digestOf is a digest of keys and values. It includes their lengths, so that letters can't
// move from the end of one to the beginning of the next without a new digest.
func digestOf[V ~string | ~[]byte](values map[string]V) string {
	hash := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		_, _ = fmt.Fprintf(hash, "%d:%s%d:%s", len(key), key, len(values[key]), string(values[key])) // a hash returns no error
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
