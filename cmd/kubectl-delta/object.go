package main

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// parseTarget reads KIND/NAME, or KIND and NAME. A kind may have "/" in it, as apps/v1
// Deployment does; a name can't.
func parseTarget(args []string) (kind, name string, err error) {
	text := strings.Join(args, "/")
	i := strings.LastIndexByte(text, '/')
	kind, name = text[:max(i, 0)], text[i+1:]
	if strings.TrimSpace(kind) == "" || name == "" {
		return "", "", reach.Misuse("%q is not KIND/NAME, such as deployment/web", text)
	}
	return kind, name, nil
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
	kind, name, err := parseTarget(args)
	if err != nil {
		return err
	}
	namespace, only := p.options.Namespace, c.Flags().Changed("namespace")
	if !only {
		if namespace, err = p.options.ObjectNamespace(); err != nil {
			return err
		}
	}
	query := url.Values{"kind": {kind}, "namespace": {namespace}, "name": {name}}
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
	return p.render(answer, func() { q.text(kind+" "+full(namespace, name), into) })
}

// within reports whether one of the deltas is of a namespace. An inspector that is asked for no
// namespace has those of all.
func within(namespace string, deltas []v1.Delta) bool {
	return slices.ContainsFunc(deltas, func(d v1.Delta) bool { return d.Namespace == namespace })
}
