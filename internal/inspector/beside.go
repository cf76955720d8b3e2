package inspector

import (
	"net/http"
	"net/netip"
)

// Beside stands before a handler that a metrics server serves. There it can't be known whether a
// filter asks for tokens. A server with TLS has one, as kubebuilder scaffolds it. One without TLS
// has none, so it is for programs of this machine alone, and [Guard] stands before it.
//
// What changes something is let through only if opts has Actions.
func Beside(next http.Handler, opts Options) http.Handler {
	guarded := Guard(next, opts)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		why := ""
		switch {
		case r.TLS == nil && !isFromHere(r.RemoteAddr):
			why = "the metrics are served without TLS, and then the inspector answers this machine alone; serve them with TLS and a filter, or forward a port"
		case r.TLS == nil:
			guarded.ServeHTTP(w, r)
			return
		case !safe && !opts.Actions:
			why = noActions
		}
		if why != "" {
			forbid(w, r, why)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isFromHere reports whether a request comes from this machine.
func isFromHere(remote string) bool {
	from, err := netip.ParseAddrPort(remote)
	return err == nil && from.Addr().Unmap().IsLoopback()
}
