package inspector

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestBeside sends requests as a metrics server gets them, through a filter and without.
func TestBeside(t *testing.T) {
	certified := &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{{}}}}
	for name, c := range map[string]struct {
		method   string
		filtered bool
		tls      *tls.ConnectionState
		from     string
		origin   string
		actions  bool
		want     int
	}{
		"read through a filter":                    {method: http.MethodGet, filtered: true, tls: &tls.ConnectionState{}, want: http.StatusNoContent},
		"read through a filter without TLS":        {method: http.MethodGet, filtered: true, want: http.StatusNoContent},
		"act through a filter":                     {method: http.MethodPost, filtered: true, actions: true, want: http.StatusNoContent},
		"act where nothing may be changed":         {method: http.MethodPost, filtered: true, want: http.StatusForbidden},
		"read with TLS alone":                      {method: http.MethodGet, tls: &tls.ConnectionState{}, actions: true, want: http.StatusForbidden},
		"act with TLS alone":                       {method: http.MethodPost, tls: &tls.ConnectionState{}, actions: true, want: http.StatusForbidden},
		"read with nothing":                        {method: http.MethodGet, want: http.StatusForbidden},
		"read with nothing from here":              {method: http.MethodGet, from: "127.0.0.1:4711", want: http.StatusForbidden},
		"act with nothing through a proxy beside":  {method: http.MethodPost, from: "127.0.0.6:4711", actions: true, want: http.StatusForbidden},
		"read with a certificate":                  {method: http.MethodGet, tls: certified, want: http.StatusNoContent},
		"act with a certificate":                   {method: http.MethodPost, tls: certified, actions: true, want: http.StatusNoContent},
		"act with a certificate for another page":  {method: http.MethodPost, tls: certified, origin: "https://evil.example.com", actions: true, want: http.StatusForbidden},
		"act through a filter for the page itself": {method: http.MethodPost, filtered: true, origin: "https://localhost:8443", actions: true, want: http.StatusNoContent},
	} {
		h := Beside(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), Options{Actions: c.actions})
		if c.filtered {
			h = Filtered(h)
		}
		r := httptest.NewRequestWithContext(t.Context(), c.method, "/delta/v1/kinds", http.NoBody)
		r.Host, r.TLS = "localhost:8443", c.tls
		if c.from != "" {
			r.RemoteAddr = c.from
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: the answer is %d %s, want %d", name, w.Code, w.Body, c.want)
		}
	}
}
