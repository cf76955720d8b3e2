package main

import (
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// object is what a command is asked about.
type object struct {
	kind, name string
	// namespaces are those to look in: the one that was asked for, or the kubeconfig's and
	// then none. The inspector does not say which kinds have namespaces.
	namespaces []string
	// more has further filters.
	more url.Values
}

// object reads KIND/NAME and -n.
func (p *program) object(c *cobra.Command, args []string) (object, error) {
	t, err := parseTarget(args)
	if err != nil {
		return object{}, err
	}
	kind, err := p.kind(c.Context(), t.kind)
	if err != nil {
		return object{}, err
	}
	if c.Flags().Changed("namespace") {
		return object{kind: kind, name: t.name, namespaces: []string{p.options.Namespace}}, nil
	}
	namespace, err := p.options.ObjectNamespace()
	if err != nil {
		return object{}, err
	}
	return object{kind: kind, name: t.name, namespaces: []string{namespace, ""}}, nil
}

// search asks for a route in one namespace after the other until found approves of the answer.
// If none is found it returns the first answer, which says so.
func (p *program) search(ctx context.Context, route string, of object, found func(namespace string, answer []byte) bool) ([]byte, error) {
	var first []byte
	var firstErr error
	for i, namespace := range of.namespaces {
		query := url.Values{"kind": {of.kind}, "namespace": {namespace}, "name": {of.name}}
		maps.Copy(query, of.more)
		answer, err := p.get(ctx, route, query)
		if err != nil && !ask.Missing(err) || err == nil && found(namespace, answer) {
			return answer, err
		}
		if i == 0 {
			first, firstErr = answer, err
		}
	}
	return first, firstErr
}

// within reports whether one of the deltas is of a namespace. An inspector that is asked for no
// namespace has those of all.
func within(namespace string, deltas []v1.Delta) bool {
	return slices.ContainsFunc(deltas, func(d v1.Delta) bool { return d.Namespace == namespace })
}
