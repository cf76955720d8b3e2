package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"
)

var (
	now   = time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	names = []string{"webhook.team.svc", "127.0.0.1"}
)

func made(t *testing.T, before Pair, when time.Time) Pair {
	t.Helper()
	p, err := Make(names, when, before)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestJudge(t *testing.T) {
	good := made(t, Pair{}, now)
	other := made(t, Pair{}, now)
	for name, c := range map[string]struct {
		pair  Pair
		names []string
		when  time.Time
		want  string // part of the reason; empty if it is good
	}{
		"good":              {good, names, now, ""},
		"under fewer names": {good, names[:1], now, ""},
		"a slow clock":      {good, names, now.Add(-30 * time.Minute), ""},
		"late":              {good, names, now.Add(lifetime - renewal - time.Minute), ""},
		"too late":          {good, names, now.Add(lifetime - renewal + time.Minute), "it ends on 2030-04-01"},
		"over":              {good, names, now.Add(lifetime + time.Minute), "it does not serve"},
		"another name":      {good, []string{"other"}, now, "it does not serve for other"},
		"another address":   {good, []string{"127.0.0.2"}, now, "it does not serve for [127.0.0.2]"},
		"another's CA":      {Pair{CA: other.CA, Cert: good.Cert, Key: good.Key}, names, now, "it does not serve"},
		"another's key":     {Pair{CA: good.CA, Cert: good.Cert, Key: other.Key}, names, now, "it can't be read"},
		"none":              {Pair{}, names, now, "there is none"},
		"no CA":             {Pair{Cert: good.Cert, Key: good.Key}, names, now, "there is none"},
		"rubbish":           {Pair{CA: []byte("x"), Cert: good.Cert, Key: good.Key}, names, now, "its CA is not PEM"},
	} {
		err := Judge(c.pair, c.names, c.when)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestRenewal checks that one bundle trusts the old and the new certificate until the old one
// has expired.
func TestRenewal(t *testing.T) {
	first := made(t, Pair{}, now)
	later := now.Add(lifetime - renewal + time.Minute)
	second := made(t, first, later)
	bundle := x509.NewCertPool()
	if !bundle.AppendCertsFromPEM(second.CA) {
		t.Fatal("the bundle can't be read")
	}
	for name, p := range map[string]Pair{"first": first, "second": second} {
		pair, err := tls.X509KeyPair(p.Cert, p.Key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: bundle, CurrentTime: later, DNSName: names[0]}); err != nil {
			t.Errorf("the %s is not trusted: %v", name, err)
		}
	}
	third := made(t, second, later.Add(lifetime+time.Hour))
	if n := bytes.Count(third.CA, []byte("BEGIN CERTIFICATE")); n != 1 {
		t.Errorf("the bundle has %d CAs when the earlier ones have expired", n)
	}
	if n := bytes.Count(made(t, second, later.Add(time.Hour)).CA, []byte("BEGIN CERTIFICATE")); n != 2 {
		t.Errorf("the bundle has %d CAs", n)
	}
}

func FuzzJudge(f *testing.F) {
	p, err := Make(names, now, Pair{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.CA, p.Cert, p.Key)
	f.Add([]byte("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"), p.Cert, p.Key)
	f.Fuzz(func(t *testing.T, ca, cert, key []byte) {
		if Judge(Pair{CA: ca, Cert: cert, Key: key}, names, now) != nil {
			return
		}
		block, _ := pem.Decode(ca)
		if _, err := tls.X509KeyPair(cert, key); err != nil || block == nil {
			t.Error("what can't be read is called good")
		}
	})
}
