package reach

import (
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOptionsThatCanNotBeMeant(t *testing.T) {
	const url = "https://localhost:8443"
	for want, o := range map[string]Options{
		"only one of":                      {Token: "a", AsServiceAccount: "a/b"},
		`not "ftp"`:                        {Scheme: "ftp"},
		"kubectl create token":             {URL: url, AsServiceAccount: "a/b"},
		"leave out --operator":             {URL: url, Operator: "a"},
		"--scheme and --port":              {URL: url, Port: 1},
		"is not an address":                {URL: "localhost:8443"},
		"begins with http":                 {URL: "ftp://localhost"},
		"has a user":                       {URL: "https://me@localhost"},
		"more than a host":                 {URL: "https://localhost/delta/v1/"},
		"for everybody to read: use https": {URL: "http://operator.example.com", Token: "a"},
	} {
		_, err := Open(t.Context(), &o)
		if _, misused := errors.AsType[UsageError](err); !misused || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: the error is %v, want %q", o, err, want)
		}
	}
	c, err := Open(t.Context(), &Options{URL: "http://127.0.0.1:1/", Token: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Where; got != "http://127.0.0.1:1" {
		t.Errorf("it asks %s", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestPlaces(t *testing.T) {
	for name, test := range map[string]struct {
		options      Options
		port, scheme string // of the annotations
		want         place
		problem      string
	}{
		"no word":          {want: place{scheme: "https", port: 8443}},
		"the Pod's word":   {port: "9090", scheme: "http", want: place{scheme: "http", port: 9090}},
		"the user's word":  {options: Options{Port: 1, Scheme: "https"}, port: "x", scheme: "http", want: place{scheme: "https", port: 1}},
		"no port":          {port: "metrics", problem: `"metrics" is not a port; use --port`},
		"not even a port":  {port: "0", problem: "is not a port"},
		"no such protocol": {scheme: "gopher", problem: "neither http nor https"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{PortAnnotation: test.port, SchemeAnnotation: test.scheme}}}
			got, err := test.options.place(p)
			if test.problem != "" {
				if err == nil || !strings.Contains(err.Error(), test.problem) {
					t.Errorf("the error is %v, want %q", err, test.problem)
				}
				return
			}
			if err != nil || got.port != test.want.port || got.scheme != test.want.scheme {
				t.Errorf("got %+v (%v), want %+v", got, err, test.want)
			}
		})
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:80": true, "127.0.0.1": true, "127.1.2.3:8443": true, "::1": true, "[::1]:80": true, "[::1]": true,
		"": false, "0.0.0.0:80": false, "localhost.example.com": false, "127.0.0.1.example.com:80": false, "10.0.0.1": false,
	} {
		if got := loopback(host); got != want {
			t.Errorf("%q: %t, want %t", host, got, want)
		}
	}
}
