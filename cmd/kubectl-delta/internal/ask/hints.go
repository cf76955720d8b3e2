package ask

import (
	"net/http"
	"strings"
)

// Way is how requests get to an inspector. A hint names only flags that can be used on it.
type Way uint8

const (
	// Forward is a port-forward of our own to a Pod.
	Forward Way = iota
	// Address is one that the user has given. There is no cluster to ask for a token, and the scheme
	// and the port are parts of the address.
	Address
)

// hints are those that differ from one way to the other.
var hints = [...]struct{ token, account, plain, secure, port, otherPort, where string }{
	Forward: {
		token:   "use --as-service-account NAMESPACE/NAME, --token or --token-file",
		account: "or use another account with --as-service-account NAMESPACE/NAME",
		plain:   "use --scheme http", secure: "use --scheme https",
		port: "and use --port for its port", otherPort: "or use --port for the port that it is on",
		where: "check --operator and --port",
	},
	Address: {
		token:   "use --token or --token-file, with a token such as kubectl create token makes",
		account: "or use another account's token with --token or --token-file",
		plain:   "begin the URL with http://", secure: "begin the URL with https://",
		port: "and that the port of the URL is right", otherPort: "or correct the port of the URL",
		where: "check --url",
	},
}

// afterStatus says what may help. The inspector may have explained it itself.
func (w Way) afterStatus(status int, explained bool, content string) string {
	switch h := &hints[w]; {
	case status == http.StatusUnauthorized:
		return "it needs a token that it accepts: " + h.token
	case status == http.StatusBadRequest && strings.Contains(content, "HTTP request to an HTTPS server"):
		return h.secure
	case explained:
		return ""
	case status == http.StatusForbidden:
		return `the account needs a ClusterRole with the verb get on the nonResourceURLs ["/delta/*"], and post on ["/delta/v1/actions/*"] ` +
			"for what changes something; " + h.account
	case status == http.StatusNotFound:
		return "nothing serves the inspector there: switch it on in the operator, " + h.otherPort
	case status == http.StatusInternalServerError && unreviewed(content):
		return "the operator asks the API server who you are and what you may do, and that server does not answer, or does not let the operator " +
			"create tokenreviews and subjectaccessreviews: look at the operator's log, and at /readyz of its health probe, which takes no token; " +
			"an inspector with a loopback BindAddress asks nobody, but a port-forward to it needs the API server, too"
	case status >= 300 && status < 400 || status == http.StatusOK:
		return "that may not be an inspector: " + h.where
	default:
		return ""
	}
}

// unreviewed reports whether an answer is of the filter that kubebuilder's operators have before
// their metrics, and says that the filter could not ask.
func unreviewed(content string) bool {
	return strings.HasPrefix(content, "Authentication failed") || strings.HasPrefix(content, "Authorization for user ")
}

// afterError says what may help where no answer came.
func (w Way) afterError(err error) string {
	// An error may be the kubelet's, which has words and no type.
	text, h := err.Error(), &hints[w]
	switch {
	case strings.Contains(text, "x509:"):
		return "if you know that the address is the operator's, use --insecure-skip-tls-verify"
	case strings.Contains(text, "HTTP response to HTTPS client"), strings.Contains(text, "does not look like a TLS handshake"):
		return "the port speaks no TLS: " + h.plain
	case strings.Contains(text, "malformed HTTP response"):
		return "the port may speak TLS: " + h.secure
	case strings.Contains(text, "connection refused"):
		return "nothing listens there: check that the operator runs and serves its inspector, " + h.port
	default:
		return ""
	}
}
