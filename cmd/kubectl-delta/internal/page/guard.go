package page

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// keyName is what the key is called in an address.
const keyName = "key"

// guard decides who may use the proxy.
type guard struct{ host, key string }

// look returns why a request is refused; empty if it is not.
func (g guard) look(r *http.Request) string {
	// A link in another page leads to nothing that acts, and a browser opens it for its user. Even so it is
	// refused: the link that the terminal shows does not need it. Other programs say nothing of their origin.
	site := r.Header.Get("Sec-Fetch-Site")
	other := func(origin string) bool { return origin != "http://"+r.Host }
	switch {
	case r.Host != g.host:
		return "this is not the address that kubectl delta page printed"
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
	key := r.URL.Query().Get(keyName)
	if cookie, err := r.Cookie(g.cookie()); key == "" && err == nil {
		key = cookie.Value
	}
	return subtle.ConstantTimeCompare([]byte(key), []byte(g.key)) == 1
}

// cookie is the name of the cookie with the key. It has the port: browsers send cookies to all ports of a host.
func (g guard) cookie() string { return "kubectl-delta-" + strings.ReplaceAll(g.host, ":", "-") }

// remember lets the browser know the key from now on.
func (g guard) remember(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie(), Value: g.key, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	w.Header().Set("Referrer-Policy", "no-referrer")
}
