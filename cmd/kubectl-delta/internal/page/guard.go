package page

import (
	"crypto/subtle"
	"net"
	"net/http"
	"slices"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
)

// keyName is what the key is called in an address. The cookie's name has the port too: browsers
// send cookies to all ports of a host.
const keyName = "key"

// guard decides who may use the proxy.
type guard struct{ port, key string }

// look returns why a request is refused; empty if it is not.
func (g guard) look(r *http.Request) string {
	// A link in another page leads to nothing that acts, and a browser opens it for its user. Even so it is
	// refused: the link that the terminal shows does not need it. Other programs say nothing of their origin.
	site := r.Header.Get("Sec-Fetch-Site")
	other := func(origin string) bool { return origin != "http://"+r.Host }
	_, port, err := net.SplitHostPort(r.Host)
	switch {
	case err != nil || port != g.port || !reach.Loopback(r.Host):
		return "this address is only for a loopback name, such as 127.0.0.1"
	case site != "" && site != "same-origin" && site != "none", slices.ContainsFunc(r.Header.Values("Origin"), other):
		return "another site may not use this page"
	case !g.known(r):
		return "the key is missing: open the address that kubectl delta page printed"
	default:
		return ""
	}
}

// known reports whether a request has the key, as a cookie or in its address.
func (g guard) known(r *http.Request) bool {
	if g.is(r.URL.Query().Get(keyName)) {
		return true
	}
	cookie, err := r.Cookie(g.cookie())
	return err == nil && g.is(cookie.Value)
}

func (g guard) is(key string) bool {
	return subtle.ConstantTimeCompare([]byte(key), []byte(g.key)) == 1
}

func (g guard) cookie() string { return "kubectl-delta-" + g.port }

// remember lets the browser know the key from now on.
func (g guard) remember(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie(), Value: g.key, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	w.Header().Set("Referrer-Policy", "no-referrer")
}
