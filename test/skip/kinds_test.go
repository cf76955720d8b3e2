package skip

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kind is one kind of objects that a world may have.
type kind struct {
	schema.GroupVersionKind
	plural string
	// typed makes an empty object of the kind's Go type. It is nil for a custom kind,
	// which has none.
	typed func() client.Object
	// generation says that the server counts changes of the spec.
	generation bool
	places     []*place
	// ref is the place in which an object of the kind names another one. It is nil if the kind
	// has no such place.
	ref *place
	// poke is a place that no job depends on.
	poke *place
	// content is the content of each new object.
	content func() map[string]any
}

// place is a place in an object that can have a value.
type place struct {
	path   string
	fields []any // names of fields, and indexes of lists
	values []any // the values that it can have
	// wrong are common wrong spellings of the path. No object has them.
	wrong []string
}

var (
	configMap = &kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), plural: "configmaps",
		typed:   func() client.Object { return &corev1.ConfigMap{} },
		content: func() map[string]any { return map[string]any{"data": map[string]any{"a": "p"}} },
		ref:     &place{path: "data.ref", fields: []any{"data", "ref"}},
		poke:    &place{path: "data.poke", fields: []any{"data", "poke"}},
		places: []*place{
			{path: "data.a", fields: []any{"data", "a"}, values: letters, wrong: []string{"Data.a", "/data/a", "{.data.a}", "dat.a"}},
			{path: `data["config.yaml"]`, fields: []any{"data", "config.yaml"}, values: letters, wrong: []string{"data.config.yaml"}},
			note,
		},
	}
	secret = &kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Secret"), plural: "secrets",
		typed:   func() client.Object { return &corev1.Secret{} },
		content: func() map[string]any { return map[string]any{"data": map[string]any{"k": "cA=="}} },
		poke:    &place{path: "data.poke", fields: []any{"data", "poke"}},
		places: []*place{
			{path: "data.k", fields: []any{"data", "k"}, values: encoded, wrong: []string{"stringdata.k", "/data/k", "Data.k"}},
			{path: `data["tls.crt"]`, fields: []any{"data", "tls.crt"}, values: encoded, wrong: []string{"data.tls.crt"}},
			note,
		},
	}
	deployment = &kind{
		GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("Deployment"), plural: "deployments",
		typed: func() client.Object { return &appsv1.Deployment{} }, generation: true,
		content: func() map[string]any {
			labels := map[string]any{"app": "a"}
			app := map[string]any{"name": "app", "image": "p"}
			return map[string]any{"spec": map[string]any{
				"replicas": int64(1), "selector": map[string]any{"matchLabels": labels},
				"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": []any{app}}},
			}}
		},
		ref:  &place{path: "spec.template.spec.serviceAccountName", fields: []any{"spec", "template", "spec", "serviceAccountName"}},
		poke: &place{path: "spec.minReadySeconds", fields: []any{"spec", "minReadySeconds"}},
		places: []*place{
			{
				path: "spec.replicas", fields: []any{"spec", "replicas"}, values: numbers,
				wrong: []string{"spec.replica", "Spec.Replicas", "/spec/replicas", "{.spec.replicas}"},
			},
			{path: `spec.template.spec.containers[name="app"].image`, fields: image, values: letters},
			{
				path: "spec.template.spec.containers[*].image", fields: image, values: letters,
				wrong: []string{"spec.containers[*].image", "spec.template.spec.container[*].image"},
			},
			{path: "status.readyReplicas", fields: []any{"status", "readyReplicas"}, values: numbers, wrong: []string{"status.ready"}},
			note,
		},
	}
	image = []any{"spec", "template", "spec", "containers", 0, "image"}
	note  = &place{
		path: "metadata.annotations.note", fields: []any{"metadata", "annotations", "note"}, values: letters,
		wrong: []string{"annotations.note", "metadata.annotation.note"},
	}

	letters = []any{"p", "q", "r"}
	encoded = []any{"cA==", "cQ==", "cg=="}
	numbers = []any{int64(1), int64(2), int64(3)}

	// labelled and owned are the places in which an object says what it belongs to.
	labelled = &place{path: "metadata.labels.for", fields: []any{"metadata", "labels", "for"}}
	owned    = &place{path: "metadata.ownerReferences", fields: []any{"metadata", "ownerReferences"}}
)

// custom returns a kind that no Go program knows. Some have the name of a kind that all
// programs know.
func custom(name, plural string) *kind {
	return &kind{
		GroupVersionKind: schema.GroupVersionKind{Group: "vault.example.com", Version: "v1", Kind: name}, plural: plural, generation: true,
		content: func() map[string]any { return map[string]any{"spec": map[string]any{"name": "p"}} },
		ref:     &place{path: "spec.ref", fields: []any{"spec", "ref"}},
		poke:    &place{path: "spec.poke", fields: []any{"spec", "poke"}},
		places: []*place{
			{path: "spec.name", fields: []any{"spec", "name"}, values: letters},
			{path: "spec.size", fields: []any{"spec", "size"}, values: numbers},
			{path: "status.phase", fields: []any{"status", "phase"}, values: letters},
			note,
		},
	}
}

var (
	gadget      = custom("Gadget", "gadgets")
	namedSecret = custom("Secret", "secrets")
	allKinds    = []*kind{configMap, secret, deployment, gadget, namedSecret}
)

// kindOf finds a kind by its name. It is nil for an unknown name.
func kindOf(gvk schema.GroupVersionKind) *kind {
	for _, k := range allKinds {
		if k.GroupVersionKind == gvk {
			return k
		}
	}
	return nil
}

// String names the kind in stories.
func (k *kind) String() string {
	if k == namedSecret {
		return "vault.example.com/Secret"
	}
	return k.Kind
}

// form is the Go form of objects in a cache.
type form uint8

const (
	typedForm form = iota
	mapForm
	metadataForm
)

// String names the form in stories.
func (f form) String() string { return [...]string{"typed", "unstructured", "metadata"}[f] }

// example is an empty object of the kind in a form.
func (k *kind) example(f form) client.Object {
	switch {
	case f == metadataForm:
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(k.GroupVersionKind)
		return m
	case f == mapForm || k.typed == nil:
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(k.GroupVersionKind)
		return u
	default:
		return k.typed()
	}
}

// list is an empty list of the kind in a form.
func (k *kind) list(f form) client.ObjectList {
	gvk := k.GroupVersionKind
	gvk.Kind += "List"
	switch {
	case f == metadataForm:
		m := &metav1.PartialObjectMetadataList{}
		m.SetGroupVersionKind(gvk)
		return m
	case f == mapForm || k.typed == nil:
		u := &unstructured.UnstructuredList{}
		u.SetGroupVersionKind(gvk)
		return u
	case k == configMap:
		return &corev1.ConfigMapList{}
	case k == secret:
		return &corev1.SecretList{}
	default:
		return &appsv1.DeploymentList{}
	}
}

// get returns the value at the place, and nil if there is none.
func (p *place) get(object map[string]any) any {
	var at any = object
	for _, field := range p.fields {
		switch inside := at.(type) {
		case map[string]any:
			name, ok := field.(string)
			if !ok {
				return nil
			}
			at = inside[name]
		case []any:
			index, ok := field.(int)
			if !ok || index >= len(inside) {
				return nil
			}
			at = inside[index]
		default:
			return nil
		}
	}
	return at
}

// set puts a value at the place. Nil removes the value.
func (p *place) set(object map[string]any, value any) {
	at := object
	for i, field := range p.fields[:len(p.fields)-1] {
		name, ok := field.(string)
		if !ok {
			continue // an index of the list that the step before has found
		}
		if index, ok := p.fields[i+1].(int); ok {
			at = at[name].([]any)[index].(map[string]any)
			continue
		}
		inside, ok := at[name].(map[string]any)
		if !ok {
			inside = map[string]any{}
			at[name] = inside
		}
		at = inside
	}
	last := p.fields[len(p.fields)-1].(string)
	if value == nil {
		delete(at, last)
		return
	}
	at[last] = value
}

// knownWrong are the wrong spellings that a predicate can recognize. It has no schemas, so of
// a custom kind it only knows the metadata: anything else may exist.
func (p *place) knownWrong(k *kind) []string {
	if k.typed != nil {
		return p.wrong
	}
	return slices.DeleteFunc(slices.Clone(p.wrong), func(path string) bool { return !strings.HasPrefix(path, "metadata.") })
}

// inMetadata reports whether the place is in an object's metadata.
func (p *place) inMetadata() bool { return p.fields[0] == "metadata" }

// text is a value in the form that stories and outputs have.
func text(value any) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprint(value)
}
