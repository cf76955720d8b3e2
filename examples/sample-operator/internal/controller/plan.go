package controller

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// steps are parts of the work on a Site, each of which can be left out. Its status is
// always worked out; that takes no requests unless it has changed.
type steps uint8

const (
	stepHostname steps = 1 << iota
	stepFiles
	stepDeployment
	stepService

	nothing    steps = 0
	everything       = stepHostname | stepFiles | stepDeployment | stepService
)

func (s steps) has(step steps) bool { return s&step != 0 }

// String is for logs.
func (s steps) String() string {
	var names []string
	for i, name := range []string{"hostname", "files", "deployment", "service"} {
		if s.has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(append(names, "status"), ",")
}

// plan says which steps the changes ask for. It starts from everything: a step is left
// out only if all changes are known, and each is known not to concern it. After a
// failure there is no telling how far the attempt before came.
func plan(changes delta.Changes) steps {
	if !changes.Complete() || changes.Len() == 0 || changes.Attempt() > 1 {
		return everything
	}
	asked := nothing
	for change := range changes.All() {
		asked |= askedBy(change)
	}
	return asked
}

func askedBy(change delta.Change) steps {
	switch change.Object().(type) {
	case *webv1alpha1.Site:
		return askedBySite(change)
	case *appsv1.Deployment:
		return unlessStatusOnly(change, stepDeployment)
	case *corev1.Service:
		return unlessStatusOnly(change, stepService)
	case *corev1.ConfigMap:
		return askedByConfigMap(change)
	case *corev1.Secret:
		return stepDeployment
	default: // a resync of all, something without an object, whatever comes to be watched
		return everything
	}
}

// fields are the steps that follow from the parts of a Site. Everything follows from a
// part that is not among them.
var fields = []struct {
	path string
	step steps
}{
	{"spec.files", stepFiles | stepDeployment}, // whose Pods have a digest of them
	{"spec.image", stepDeployment},
	{"spec.replicas", stepDeployment},
	{"spec.port", stepDeployment},
	{"spec.secrets", stepDeployment},
	{"spec.hostname", stepHostname},
	{"metadata.finalizers", stepHostname},
	{"metadata.generation", nothing}, // counts changes that are seen themselves
	{"metadata.labels", nothing},     // the children have labels of their own
	{"metadata.annotations", nothing},
	{"status", nothing}, // somebody else's doing, which the status puts right
}

func askedBySite(change delta.Change) steps {
	if change.Op != delta.Updated {
		return everything
	}
	diff := change.Diff()
	if diff.Err() != nil || diff.Truncated() {
		return everything
	}
	asked := nothing
	for path := range diff.Paths() {
		asked |= askedAt(path)
	}
	return asked
}

func askedAt(path string) steps {
	for _, field := range fields {
		if isAt(path, field.path) {
			return field.step
		}
	}
	return everything
}

// isAt reports whether a path is that of a field, or of something in it.
func isAt(path, field string) bool {
	rest, ok := strings.CutPrefix(path, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// askedByConfigMap goes by the name: it is the files', or that of the claim of a hostname.
func askedByConfigMap(change delta.Change) steps {
	asked := nothing
	if strings.HasPrefix(change.Key.Name, claimPrefix) {
		asked |= stepHostname
	}
	if strings.HasSuffix(change.Key.Name, filesSuffix) {
		asked |= stepFiles
	}
	if asked == nothing {
		return everything
	}
	return asked
}

func unlessStatusOnly(change delta.Change, step steps) steps {
	if change.Op != delta.Updated {
		return step
	}
	diff := change.Diff()
	if diff.Err() != nil || diff.Truncated() {
		return step
	}
	for path := range diff.Paths() {
		if !isAt(path, "status") && path != "metadata.generation" {
			return step
		}
	}
	return nothing
}
