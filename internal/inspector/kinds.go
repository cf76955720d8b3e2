package inspector

import (
	"net/http"
	"slices"
	"strings"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// mostNamed is how many kinds or controllers a refusal lists.
const mostNamed = 20

// findKind returns the name of the kind that a caller means. The full name of a kind wins, so
// that there is always a way to say which. Otherwise pods, pod, Pod, Pod.v1., deployments.apps
// and deployments.v1.apps do, as with kubectl.
func findKind(kinds []v1.Kind, asked string) (string, error) {
	var found []string
	for i := range kinds {
		if kinds[i].Name == asked {
			return asked, nil
		}
		if meansKind(&kinds[i], asked) {
			found = append(found, kinds[i].Name)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := make([]string, len(kinds))
		for i := range kinds {
			names[i] = kinds[i].Name
		}
		return "", refuse(http.StatusNotFound, "the cache has no kind %q; it has %s", clip(asked), enumerate(names))
	default:
		return "", refuse(http.StatusBadRequest, "%q may mean %s; use one of these names", clip(asked), enumerate(found))
	}
}

// meansKind reports whether a text may mean a kind.
func meansKind(k *v1.Kind, asked string) bool {
	if strings.EqualFold(asked, k.Name) {
		return true
	}
	word, rest, qualified := strings.Cut(strings.ToLower(asked), ".")
	kind := strings.ToLower(k.Kind)
	if word != kind && word != plural(kind) {
		return false
	}
	group, version := strings.ToLower(k.Group), strings.ToLower(k.Version)
	return !qualified || rest == group || rest == version+"."+group
}

// plural guesses the resource of a kind. The API server is not asked, because a kind that it
// does not know has to be found, too.
func plural(kind string) string {
	switch {
	case kind == "":
		return ""
	case strings.HasSuffix(kind, "endpoints"):
		return kind
	case strings.HasSuffix(kind, "s") || strings.HasSuffix(kind, "x") || strings.HasSuffix(kind, "ch") || strings.HasSuffix(kind, "sh"):
		return kind + "es"
	case strings.HasSuffix(kind, "y") && !strings.ContainsAny(kind[max(0, len(kind)-2):len(kind)-1], "aeiou"):
		return strings.TrimSuffix(kind, "y") + "ies"
	default:
		return kind + "s"
	}
}

// findController refuses a controller that the operator does not have.
func findController(controllers []v1.Controller, asked string) error {
	names := make([]string, len(controllers))
	for i := range controllers {
		names[i] = controllers[i].Name
	}
	if slices.Contains(names, asked) {
		return nil
	}
	return refuse(http.StatusNotFound, "there is no controller %q; there are %s", clip(asked), enumerate(names))
}

func enumerate(names []string) string {
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > mostNamed:
		return strings.Join(names[:mostNamed], ", ") + " and others"
	default:
		return strings.Join(names, ", ")
	}
}
