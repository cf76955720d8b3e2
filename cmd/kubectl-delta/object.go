package main

import (
	"context"
	"maps"
	"net/url"

	"github.com/spf13/cobra"
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
func (p *program) search(ctx context.Context, route string, of object, found func(answer []byte, err error) bool) ([]byte, error) {
	var first []byte
	var firstErr error
	for i, namespace := range of.namespaces {
		query := url.Values{"kind": {of.kind}, "namespace": {namespace}, "name": {of.name}}
		maps.Copy(query, of.more)
		answer, err := p.get(ctx, route, query)
		if found(answer, err) {
			return answer, err
		}
		if i == 0 {
			first, firstErr = answer, err
		}
	}
	return first, firstErr
}
