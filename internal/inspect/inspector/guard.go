package inspector

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Guard stands before a handler on a loopback address, where nobody shows a token. Every program
// of the machine may read, but a web page that somebody has open in a browser may not: it can
// send requests to loopback addresses, too.
//
// It lets through what changes something only if opts has Actions.
func Guard(next http.Handler, opts Options) http.Handler {
	return screen(next, opts, func(r *http.Request) string {
		if !IsLoopback(r.Host) {
			// Somebody else's name may be made to point here, so that a page of theirs has our origin.
			return "the Host header has to be localhost or a loopback address"
		}
		return ""
	})
}

// screen lets through what the caller has nothing against, what no page of another origin asks for, and
// what changes something only if opts has Actions. against says why a request is refused; empty if it
// is not.
func screen(next http.Handler, opts Options, against func(*http.Request) string) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		safe := r.Method == http.MethodGet || r.Method == http.MethodHead
		why := against(r)
		switch {
		case why != "":
			forbid(w, r, why)
		case cross.Check(r) != nil || isForeign(r):
			forbid(w, r, "the request comes from a page of another origin")
		case !safe && !opts.Actions:
			forbid(w, r, noActions)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func forbid(w http.ResponseWriter, r *http.Request, why string) {
	secure(w.Header())
	c := &call{w: w, r: r, pace: usualPace, task: r.Method + " " + clip(r.URL.Path)}
	c.problem(http.StatusForbidden, why)
}

// noActions is why nothing is changed.
const noActions = "this address shows things and changes nothing; the operator has to allow actions: inspect.Options{AllowActions: true}"

// isForeign reports whether a page of another origin asks for data. It could not read the answer,
// but it could take all streams. A link from another page to this one is fine.
func isForeign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return (site == "cross-site" || site == "same-site") && strings.HasPrefix(r.URL.Path, api)
}

// IsLoopback reports whether a Host header has a loopback name, with any port or none.
func IsLoopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (addr == netip.MustParseAddr("127.0.0.1") || addr == netip.IPv6Loopback())
}
