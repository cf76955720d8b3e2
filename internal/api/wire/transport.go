package wire

import (
	"net/http"

	"k8s.io/apimachinery/pkg/util/net"
)

// headerKey is where a context has room for the header of an answer.
type headerKey struct{}

// Tap returns a client like the given one, whose answers' headers a [Client] can see. rest.Request shows it the
// bodies alone.
func Tap(client *http.Client) *http.Client {
	tapped := *client
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	tapped.Transport = tap{next}
	return &tapped
}

type tap struct{ next http.RoundTripper }

var _ net.RoundTripperWrapper = tap{}

func (t tap) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(request)
	if header, ok := request.Context().Value(headerKey{}).(*http.Header); ok && err == nil {
		*header = answer.Header
	}
	return answer, err
}

// WrappedRoundTripper is what client-go looks through for the transport below.
func (t tap) WrappedRoundTripper() http.RoundTripper { return t.next }
