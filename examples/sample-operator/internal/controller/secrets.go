package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// secrets is what the cache knows of the Secrets that a Site names.
type secrets struct {
	missing []string
	digest  string // of all of them; empty if there are none, or if some are missing
}

// readSecrets reads them from the cache, which has digests instead of values.
func (w *work) readSecrets(ctx context.Context) (secrets, error) {
	var found secrets
	digests := map[string]string{}
	for _, name := range w.site.Spec.Secrets {
		var secret corev1.Secret
		key := client.ObjectKey{Namespace: w.site.Namespace, Name: name}
		switch err := w.Get(ctx, key, &secret); {
		case apierrors.IsNotFound(err):
			found.missing = append(found.missing, name)
		case err != nil:
			return found, fmt.Errorf("read Secret %s: %w", key, err)
		default:
			digests[name] = digestOf(secret.Data)
		}
	}
	if len(found.missing) == 0 && len(digests) > 0 {
		found.digest = digestOf(digests)
	}
	return found, nil
}

// digestOf is a digest of keys and values. It includes their lengths, so that letters can't
// move from the end of one to the beginning of the next without a new digest.
func digestOf[V ~string | ~[]byte](values map[string]V) string {
	hash := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		// A hash returns no error.
		_, _ = fmt.Fprintf(hash, "%d:%s%d:%s", len(key), key, len(values[key]), string(values[key]))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
