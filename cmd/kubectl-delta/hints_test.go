package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHintsCanBeFollowed uses the flags that a hint names together with the --url that it is about.
func TestHintsCanBeFollowed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	says := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	values := map[string]string{"--token": "a", "--token-file": file, "--as-service-account": "a/b", "--insecure-skip-tls-verify": "true", "--url": secure.URL}
	flag := regexp.MustCompile(`--[a-z-]+`)
	for name, test := range map[string]struct{ url, want string }{
		"no token":       {says(401, "Unauthorized"), "--token-file"},
		"no right":       {says(403, "Authorization denied for user eve"), "or take another account: use --token or --token-file"},
		"no inspector":   {says(404, "404 page not found"), "use the port that it is on"},
		"TLS was wanted": {says(400, "Client sent an HTTP request to an HTTPS server."), "use the scheme https"},
		"a redirect":     {says(302, ""), "check which operator and which port"},
		"a page":         {says(200, "<html>"), "check which operator and which port"},
		"nobody to ask":  {says(500, "Authentication failed"), "/readyz"},
		"no TLS":         {strings.Replace(says(200, ""), "http:", "https:", 1), "use the scheme http"},
		"a certificate":  {secure.URL, "--insecure-skip-tls-verify"},
		"nobody there":   {"http://127.0.0.1:1", "that the port is right"},
	} {
		got := runs(t.Context(), "status", "--url", test.url)
		if got.code != exitError || !strings.Contains(got.errOut, test.want) {
			t.Errorf("%s: it ended with %d and said %q, want %q", name, got.code, got.errOut, test.want)
		}
		for _, named := range flag.FindAllString(got.errOut, -1) {
			value, known := values[named]
			if !known {
				value = "1"
			}
			if followed := runs(t.Context(), "status", "--url", test.url, named+"="+value); followed.code == exitUsage {
				t.Errorf("%s: the hint is %q, and who follows it is told %q", name, got.errOut, followed.errOut)
			}
		}
	}
}
