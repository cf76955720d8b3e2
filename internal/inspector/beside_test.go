package inspector

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestBeside sends requests as a metrics server gets them.
func TestBeside(t *testing.T) {
	for name, c := range map[string]struct {
		method, from, host string
		tls, actions       bool
		want               int
	}{
		"read with TLS":                    {http.MethodGet, "10.0.0.7:4711", "operator:8443", true, false, http.StatusNoContent},
		"act with TLS":                     {http.MethodPost, "10.0.0.7:4711", "operator:8443", true, true, http.StatusNoContent},
		"act where nothing may be changed": {http.MethodPost, "10.0.0.7:4711", "operator:8443", true, false, http.StatusForbidden},
		"read without TLS from elsewhere":  {http.MethodGet, "10.0.0.7:4711", "localhost:8080", false, true, http.StatusForbidden},
		"read without TLS from here":       {http.MethodGet, "127.0.0.1:4711", "127.0.0.1:8080", false, false, http.StatusNoContent},
		"read without TLS over IPv6":       {http.MethodGet, "[::1]:4711", "localhost:8080", false, false, http.StatusNoContent},
		"read without TLS by another name": {http.MethodGet, "127.0.0.1:4711", "evil.example.com", false, false, http.StatusForbidden},
		"act without TLS where it may not": {http.MethodPost, "127.0.0.1:4711", "127.0.0.1:8080", false, false, http.StatusForbidden},
		"act without TLS where it may":     {http.MethodPost, "127.0.0.1:4711", "127.0.0.1:8080", false, true, http.StatusNoContent},
		"from nobody knows where, no TLS":  {http.MethodGet, "@", "127.0.0.1:8080", false, true, http.StatusForbidden},
	} {
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
		r := httptest.NewRequestWithContext(t.Context(), c.method, "/delta/v1/kinds", http.NoBody)
		r.RemoteAddr, r.Host = c.from, c.host
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		w := httptest.NewRecorder()
		Beside(next, Options{Actions: c.actions}).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: the answer is %d %s, want %d", name, w.Code, w.Body, c.want)
		}
	}
}
