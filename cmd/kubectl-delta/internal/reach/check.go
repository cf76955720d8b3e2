package reach

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// check finds options that can't be meant, before anything is sent anywhere.
func (o *Options) check() error {
	tokens := 0
	for _, source := range []string{o.Token, o.TokenFile, o.AsServiceAccount} {
		if source != "" {
			tokens++
		}
	}
	switch {
	case tokens > 1:
		return usage{"use only one of --token, --token-file and --as-service-account"}
	case o.Scheme != "" && o.Scheme != "http" && o.Scheme != "https":
		return usage{fmt.Sprintf("--scheme is http or https, not %q", o.Scheme)}
	case o.Port < 0 || o.Port > 65535:
		return usage{fmt.Sprintf("--port is a number from 1 to 65535, not %d", o.Port)}
	case o.URL != "" && o.AsServiceAccount != "":
		return usage{"--as-service-account asks a cluster for a token, and --url uses none: make one with kubectl create token, and use --token-file"}
	case o.URL != "" && (o.Operator != "" || o.Selector != "" || o.Lease != "" || o.OperatorNamespace != ""):
		return usage{"--url names the inspector already: leave out --operator, --operator-namespace, --selector and --lease"}
	case o.URL != "" && (o.Port != 0 || o.Scheme != ""):
		return usage{"--url has the scheme and the port already: leave out --scheme and --port"}
	}
	if o.Lease != "" {
		namespace, _, err := pair("--lease", o.Lease)
		if err != nil {
			return err
		}
		if o.OperatorNamespace != "" && o.OperatorNamespace != namespace {
			return usage{fmt.Sprintf("--lease is in namespace %s, and --operator-namespace is %s: the operator's Pods are where its Lease is",
				namespace, o.OperatorNamespace)}
		}
	}
	if o.SkipVerify != "" {
		if _, err := strconv.ParseBool(o.SkipVerify); err != nil {
			return usage{fmt.Sprintf("--insecure-skip-tls-verify is true or false, not %q", o.SkipVerify)}
		}
	}
	return nil
}

// skipVerify returns what the user wants, or what suits the way.
func (o *Options) skipVerify(otherwise string) bool {
	text := o.SkipVerify
	if text == "" {
		text = otherwise
	}
	skip, _ := strconv.ParseBool(text) // check has looked at it
	return skip
}

// address reads --url.
func (o *Options) address() (*url.URL, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, usage{fmt.Sprintf("--url %q is not an address: it looks like https://localhost:8443", o.URL)}
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, usage{fmt.Sprintf("--url %q is not an address: it begins with http:// or https:// and a host", o.URL)}
	case u.User != nil:
		return nil, usage{"--url has a user in it, which nothing would see: use --token-file"}
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, usage{fmt.Sprintf("--url %q has more than a host: leave out what follows it", o.URL)}
	case u.Scheme == "http" && !Loopback(u.Host) && (o.Token != "" || o.TokenFile != ""):
		return nil, usage{fmt.Sprintf("the token would travel to %s for everybody to read: use https", u.Host)}
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

// Loopback reports whether a host, with or without a port, is this machine. The inspector has such
// a check of its own, which looks at what a browser sends: of 127.0.0.0/8 it takes 127.0.0.1 alone.
func Loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}

// pair reads NAMESPACE/NAME.
func pair(flag, text string) (namespace, name string, err error) {
	namespace, name, ok := strings.Cut(text, "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		return "", "", usage{fmt.Sprintf("%s is NAMESPACE/NAME, not %q", flag, text)}
	}
	return namespace, name, nil
}
