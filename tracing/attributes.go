package tracing

import (
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// maxPaths is how many fields of a change are named.
const maxPaths = 20

// previousAttempt says what a link is.
var previousAttempt = []attribute.KeyValue{attribute.String("delta.link", "previous attempt")}

// aboutRequest describes a request.
func aboutRequest[R comparable](controller string, request R) []attribute.KeyValue {
	about := []attribute.KeyValue{attribute.String("delta.controller", controller)}
	plain, ok := any(request).(reconcile.Request)
	if !ok {
		return append(about, attribute.String("delta.request", fmt.Sprint(request)))
	}
	if plain.Namespace != "" {
		about = append(about, attribute.String("k8s.namespace.name", plain.Namespace))
	}
	return append(about, attribute.String("delta.request", delta.Key{Namespace: plain.Namespace, Name: plain.Name}.String()))
}

// aboutChange describes a change. It names the fields that differ and leaves out what is in them,
// which nobody expects among traces.
func aboutChange(c *delta.Change) []attribute.KeyValue {
	about := []attribute.KeyValue{attribute.String("delta.cause", c.Cause.String())}
	if c.Kind.Kind == "" {
		return about
	}
	about = append(about,
		attribute.String("delta.kind", c.Kind.Kind), attribute.String("delta.api_version", c.Kind.GroupVersion().String()),
		attribute.String("delta.object", c.Key.String()), attribute.Int("delta.deltas", c.Deltas))
	if c.Op != 0 {
		about = append(about, attribute.String("delta.op", c.Op.String()))
	}
	if manager := c.Manager(); manager != "" {
		about = append(about, attribute.String("delta.manager", manager))
	}
	if paths := pathsOf(c); paths != nil {
		about = append(about, attribute.StringSlice("delta.paths", paths))
	}
	return about
}

// pathsOf returns the fields that differ.
func pathsOf(c *delta.Change) (paths []string) {
	if c.Op != delta.Updated || c.Is(delta.Resync) {
		return nil
	}
	for path := range c.Diff().Paths() {
		if len(paths) == maxPaths {
			return append(paths, "…")
		}
		paths = append(paths, path)
	}
	return paths
}
