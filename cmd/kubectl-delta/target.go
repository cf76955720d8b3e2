package main

import (
	"strings"
)

// target is KIND/NAME.
type target struct{ kind, name string }

// parseTarget reads KIND/NAME, or KIND and NAME. A kind may have "/" in it, as apps/v1
// Deployment does; a name can't.
func parseTarget(args []string) (target, error) {
	if len(args) == 2 {
		args = []string{args[0] + "/" + args[1]}
	}
	i := strings.LastIndexByte(args[0], '/')
	t := target{kind: args[0][:max(i, 0)], name: args[0][i+1:]}
	if strings.TrimSpace(t.kind) == "" || t.name == "" {
		return target{}, misuse("%q is not KIND/NAME, such as deployment/web", args[0])
	}
	return t, nil
}

// parseRequest reads NAMESPACE/NAME, or NAME for a request without a namespace.
func parseRequest(text string) (namespace, name string, err error) {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok {
		namespace, name = "", text
	}
	if name == "" || ok && namespace == "" || strings.Contains(name, "/") {
		return "", "", misuse("%q is not NAMESPACE/NAME, such as demo/web", text)
	}
	return namespace, name, nil
}

// full is how a namespace and a name are written.
func full(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
