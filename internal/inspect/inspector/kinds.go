package inspector

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// mostNamed is how many kinds or controllers a refusal lists.
const mostNamed = 20

// findKind returns the name of the kind that a caller means. The full name of a kind wins, so
// that there is always a way to say which. Otherwise pods, pod, po, Pod, Pod.v1., deployments.apps
// and deployments.v1.apps do, as with kubectl. Of several forms of a kind the one of Go types is meant.
func findKind(kinds []v1.Kind, asked string) (string, error) {
	var found []v1.Kind
	var all, names []string
	for i := range kinds {
		k := &kinds[i]
		if k.Name == asked {
			return asked, nil
		}
		all = append(all, k.Name)
		if meansKind(k, asked) {
			found, names = append(found, *k), append(names, k.Name)
		}
	}
	other := func(k v1.Kind) bool {
		return k.Group != found[0].Group || k.Version != found[0].Version || k.Kind != found[0].Kind
	}
	if len(found) > 1 && !slices.ContainsFunc(found, other) {
		if plain := slices.IndexFunc(found, func(k v1.Kind) bool { return !strings.HasSuffix(k.Name, ")") }); plain >= 0 {
			return found[plain].Name, nil
		}
	}
	switch len(found) {
	case 1:
		return found[0].Name, nil
	case 0:
		return "", refuse(http.StatusNotFound, "the cache has no kind %q; it has %s", clip(asked), enumerate(all))
	default:
		return "", refuse(http.StatusBadRequest, "%q may mean %s; use one of these names", clip(asked), enumerate(names))
	}
}

// shortNames are those that kubectl knows for kinds of Kubernetes.
var shortNames = map[string]string{
	"cj": "cronjob", "cm": "configmap", "crd": "customresourcedefinition", "deploy": "deployment", "ds": "daemonset",
	"ep": "endpoints", "hpa": "horizontalpodautoscaler", "ing": "ingress", "netpol": "networkpolicy", "no": "node",
	"ns": "namespace", "pdb": "poddisruptionbudget", "po": "pod", "pv": "persistentvolume", "pvc": "persistentvolumeclaim",
	"rs": "replicaset", "sa": "serviceaccount", "sts": "statefulset", "svc": "service",
}

// meansKind reports whether a text may mean a kind.
func meansKind(k *v1.Kind, asked string) bool {
	if strings.EqualFold(asked, k.Name) {
		return true
	}
	word, rest, qualified := strings.Cut(strings.ToLower(asked), ".")
	word, kind := cmp.Or(shortNames[word], word), strings.ToLower(k.Kind)
	if word != kind && word != plural(kind) {
		return false
	}
	group, version := strings.ToLower(k.Group), strings.ToLower(k.Version)
	return !qualified || rest == group || rest == version || rest == version+"."+group
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
func findController(names []string, asked string) error {
	if slices.Contains(names, asked) {
		return nil
	}
	return refuse(http.StatusNotFound, "there is no controller %q; there are %s", clip(asked), enumerate(names))
}

// enumerate writes the first of the names.
func enumerate(names []string) string {
	rest := ""
	if len(names) > mostNamed {
		names, rest = names[:mostNamed], " and others"
	}
	return cmp.Or(strings.Join(names, ", ")+rest, "none")
}
