package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// target is KIND/NAME.
type target struct{ kind, name string }

// parseTarget reads KIND/NAME, or KIND and NAME. A kind may have "/" in it, as apps/v1
// Deployment does; a name can't.
func parseTarget(args []string) (target, error) {
	text := strings.Join(args, "/")
	i := strings.LastIndexByte(text, '/')
	t := target{kind: text[:max(i, 0)], name: text[i+1:]}
	if strings.TrimSpace(t.kind) == "" || t.name == "" {
		return target{}, reach.Misuse("%q is not KIND/NAME, such as deployment/web", text)
	}
	return t, nil
}

// full is how a namespace and a name are written.
func full(namespace, name string) string { return strings.TrimPrefix(namespace+"/"+name, "/") }

// question is what to ask about an object, and how to show the answer.
type question[T any] struct {
	route string
	// more has further filters.
	more url.Values
	// found reports whether an answer has something of the object in a namespace.
	found func(namespace string, answer T) bool
	text  func(object string, answer T)
}

// about asks about KIND/NAME, in the namespace of -n, or in the kubeconfig's and then in none: the inspector
// does not say which kinds have namespaces. If nothing is found it shows the first answer, which says so.
func about[T any](c *cobra.Command, p *program, args []string, q question[T]) error {
	t, err := parseTarget(args)
	if err != nil {
		return err
	}
	kind, err := p.kind(c.Context(), t.kind)
	if err != nil {
		return err
	}
	namespace, only := p.options.Namespace, c.Flags().Changed("namespace")
	if !only {
		if namespace, err = p.options.ObjectNamespace(); err != nil {
			return err
		}
	}
	query := url.Values{"kind": {kind}, "namespace": {namespace}, "name": {t.name}}
	maps.Copy(query, q.more)
	answer, into, err := fetch[T](c.Context(), p, q.route, query)
	if nothing := ask.Missing(err) || err == nil && !q.found(namespace, into); nothing && !only {
		query.Set("namespace", "")
		second, other, otherErr := fetch[T](c.Context(), p, q.route, query)
		if otherErr != nil && !ask.Missing(otherErr) || otherErr == nil && q.found("", other) {
			answer, into, err = second, other, otherErr
		}
	}
	if err != nil {
		return err
	}
	return p.render(answer, func() { q.text(kind+" "+full(namespace, t.name), into) })
}

// within reports whether one of the deltas is of a namespace. An inspector that is asked for no
// namespace has those of all.
func within(namespace string, deltas []v1.Delta) bool {
	return slices.ContainsFunc(deltas, func(d v1.Delta) bool { return d.Namespace == namespace })
}

// shortNames are those that kubectl knows for kinds of Kubernetes.
var shortNames = map[string]string{
	"cj": "cronjob", "cm": "configmap", "crd": "customresourcedefinition", "deploy": "deployment", "ds": "daemonset",
	"ep": "endpoints", "hpa": "horizontalpodautoscaler", "ing": "ingress", "netpol": "networkpolicy", "no": "node",
	"ns": "namespace", "pdb": "poddisruptionbudget", "po": "pod", "pv": "persistentvolume", "pvc": "persistentvolumeclaim",
	"rs": "replicaset", "sa": "serviceaccount", "sts": "statefulset", "svc": "service",
}

// kind returns the name that the inspector has for a kind.
func (p *program) kind(ctx context.Context, text string) (string, error) {
	_, list, err := fetch[v1.KindList](ctx, p, "kinds", nil)
	if err != nil {
		return "", err
	}
	return pick(list.Items, text)
}

// onKind runs a command on the kind that its first argument means.
func (p *program) onKind(do func(ctx context.Context, kind string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		kind, err := p.kind(c.Context(), args[0])
		if err != nil {
			return err
		}
		return do(c.Context(), kind)
	}
}

// pick returns the name of the one kind that text means.
func pick(kinds []v1.Kind, text string) (string, error) {
	var found []v1.Kind
	for i := range kinds {
		if kinds[i].Name == text {
			return text, nil
		}
		if means(strings.ToLower(text), &kinds[i]) {
			found = append(found, kinds[i])
		}
	}
	other := func(k v1.Kind) bool {
		return k.Group != found[0].Group || k.Version != found[0].Version || k.Kind != found[0].Kind
	}
	if len(found) > 1 && !slices.ContainsFunc(found, other) {
		// The same type in several forms, such as v1 Pod and v1 Pod (metadata).
		found = slices.DeleteFunc(found, func(k v1.Kind) bool { return strings.Contains(k.Name, "(") })
	}
	switch len(found) {
	case 1:
		return found[0].Name, nil
	case 0:
		return "", fmt.Errorf("the operator's cache has no kind %q; it has %s", text, names(kinds))
	default:
		return "", fmt.Errorf("the operator's cache has several kinds %q; use one of %s", text, names(found))
	}
}

// means reports whether text, in lower case, is a way to write a kind: the kind itself or its
// plural, and then its version, its group or both, with dots or as an API has it.
func means(text string, k *v1.Kind) bool {
	kind, group := strings.ToLower(k.Kind), strings.ToLower(k.Group)
	ends := []string{"", "." + k.Version}
	if group != "" {
		ends = append(ends, "."+group, "."+k.Version+"."+group)
	}
	words := []string{kind, kind + "s", kind + "es", strings.TrimSuffix(kind, "y") + "ies"}
	for _, end := range ends {
		word, ok := strings.CutSuffix(text, end)
		if ok && (slices.Contains(words, word) || shortNames[word] == kind) {
			return true
		}
	}
	return text == strings.TrimPrefix(group+"/"+k.Version+" "+kind, "/")
}

func names(kinds []v1.Kind) string {
	const most = 12
	var all []string
	for i := range kinds {
		all = append(all, `"`+kinds[i].Name+`"`)
	}
	slices.Sort(all)
	if len(all) > most {
		all = append(all[:most], "and others, which kubectl delta status lists")
	}
	return cmp.Or(strings.Join(all, ", "), "none")
}
