package inspector

import (
	"context"
	"net/http"
)

// filtered is the key of the mark that [Filtered] leaves in a request's context.
type filtered struct{}

// Filtered stands behind a filter of a metrics server. It marks the requests that the filter has let
// through, for [Beside].
func Filtered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), filtered{}, true)))
	})
}

// nobodyAsks is why nothing is shown beside metrics that everybody may read.
const nobodyAsks = "nobody checks who asks: the metrics have no FilterProvider that manager.Configure knows; " +
	"set one before you call Configure, or set the inspector's BindAddress"

// Beside stands before a handler that a metrics server serves. It answers requests that a filter has
// let through, and those with a certificate that the server has verified. It does not answer others:
// the address that a request comes from proves nothing, as proxies beside the process come from
// loopback addresses, too.
//
// It lets through what changes something only if opts has Actions.
func Beside(next http.Handler, opts Options) http.Handler {
	return screen(next, opts, func(r *http.Request) string {
		if r.Context().Value(filtered{}) == nil && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0) {
			return nobodyAsks
		}
		return ""
	})
}
