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
	for i := range kinds {
		if kinds[i].Name == asked {
			return asked, nil
		}
		if meansKind(&kinds[i], asked) {
			found = append(found, kinds[i])
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
		return "", refuse(http.StatusNotFound, "the cache has no kind %q; it has %s", clip(asked), enumerate(kinds))
	default:
		return "", refuse(http.StatusBadRequest, "%q may mean %s; use one of these names", clip(asked), enumerate(found))
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
func findController(controllers []v1.Controller, asked string) error {
	if slices.ContainsFunc(controllers, func(c v1.Controller) bool { return c.Name == asked }) {
		return nil
	}
	return refuse(http.StatusNotFound, "there is no controller %q; there are %s", clip(asked), enumerate(controllers))
}

// enumerate names the first of them.
func enumerate[T v1.Kind | v1.Controller](all []T) string {
	names, rest := make([]string, min(len(all), mostNamed)), ""
	if len(all) > mostNamed {
		rest = " and others"
	}
	for i := range names {
		switch one := any(&all[i]).(type) {
		case *v1.Kind:
			names[i] = one.Name
		case *v1.Controller:
			names[i] = one.Name
		}
	}
	return cmp.Or(strings.Join(names, ", ")+rest, "none")
}
