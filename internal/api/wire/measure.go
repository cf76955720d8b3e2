package wire

import (
	"context"
	"io"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/tools/metrics"
)

// measure is what client-go's metrics are told of a list. A rest.Request whose answer is read as it comes tells nothing.
type measure struct {
	began time.Time
	asked *url.URL // nil if it was never asked
	size  int64    // of the body, as far as it was read
}

// tell tells the metrics. Its time ends when the list has been read, as client-go's does.
func (m *measure) tell(ctx context.Context) {
	if m.asked == nil {
		return
	}
	metrics.RequestLatency.Observe(ctx, "GET", template(*m.asked), time.Since(m.began))
	if m.size > 0 {
		metrics.ResponseSize.Observe(ctx, "GET", m.asked.Host, float64(m.size))
	}
}

// measuredBody counts what is read.
type measuredBody struct {
	io.ReadCloser
	of *measure
}

func (b measuredBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.of.size += int64(n)
	return n, err
}

// template returns the address of a list without what it is about, so that there are not more of them than kinds.
func template(u url.URL) url.URL {
	query := u.Query()
	for name := range query {
		query[name] = []string{"{value}"}
	}
	u.RawQuery = query.Encode()
	segments := strings.Split(u.Path, "/")
	if n := len(segments); n > 3 && segments[n-3] == "namespaces" {
		segments[n-2] = "{namespace}"
		u.Path, u.RawPath = strings.Join(segments, "/"), ""
	}
	return u
}
