package ask

import (
	"net/http"
	"strings"
)

// afterStatus says what may help. The inspector may have explained it itself. tokens is how its user gets another token.
func afterStatus(status int, explained bool, content, tokens string) string {
	switch {
	case status == http.StatusUnauthorized:
		return "it needs a token that it accepts: " + tokens
	case status == http.StatusBadRequest && strings.Contains(content, "HTTP request to an HTTPS server"):
		return "use the scheme https"
	case explained:
		return ""
	case status == http.StatusForbidden:
		return `the account needs a ClusterRole with the verb get on the nonResourceURLs ["/delta/*"], and post on ["/delta/v1/actions/*"] ` +
			"for what changes something, or take another account: " + tokens
	case status == http.StatusNotFound:
		return "nothing serves the inspector there: switch it on in the operator, or use the port that it is on"
	case status == http.StatusInternalServerError && unreviewed(content):
		return "the operator asks the API server who you are and what you may do, and that server does not answer, or does not let the operator " +
			"create tokenreviews and subjectaccessreviews: look at the operator's log, and at /readyz of its health probe, which takes no token; " +
			"an inspector with a loopback BindAddress asks nobody, but a port-forward to it needs the API server, too"
	case status >= 300 && status < 400 || status == http.StatusOK:
		return "that may not be an inspector: check which operator and which port is asked"
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
func afterError(err error) string {
	switch text := err.Error(); { // it may be the kubelet's, which has words and no type
	case strings.Contains(text, "x509:"):
		return "if you know that the address is the operator's, use --insecure-skip-tls-verify"
	case strings.Contains(text, "HTTP response to HTTPS client"), strings.Contains(text, "does not look like a TLS handshake"):
		return "the port speaks no TLS: use the scheme http"
	case strings.Contains(text, "malformed HTTP response"):
		return "the port may speak TLS: use the scheme https"
	case strings.Contains(text, "connection refused"):
		return "nothing listens there: check that the operator runs and serves its inspector, and that the port is right"
	default:
		return ""
	}
}
