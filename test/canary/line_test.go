package canary

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// spoiled is the Secret that the line spoils.
const spoiled = "sealed-spoiled"

// line is what the operator has for an API server. It passes everything on, as JSON, and spoils what
// is said of one Secret if it is told to: then no decoder can read it.
type line struct {
	server *httptest.Server

	mu    sync.Mutex // guards everything below
	spoil func(text []byte) []byte
	bad   map[string]int // how often something was spoiled, by what was asked
}

// newLine returns a line to a server, and the configuration to use it.
func newLine(t *testing.T, config *rest.Config) (*line, *rest.Config) {
	t.Helper()
	to, err := url.Parse(config.Host)
	must(t, err)
	transport, err := rest.TransportFor(config)
	must(t, err)
	l := &line{bad: map[string]int{}}
	l.server = httptest.NewServer(&httputil.ReverseProxy{
		Transport:      transport,
		FlushInterval:  -1,
		ModifyResponse: l.answer,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header.Set("Accept-Encoding", "identity")
			accepted := strings.Split(r.In.Header.Get("Accept"), ",")
			accepted = slices.DeleteFunc(accepted, func(media string) bool { return strings.Contains(media, "protobuf") })
			r.Out.Header.Set("Accept", strings.Join(append(accepted, "application/json"), ","))
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.Cleanup(func() {
		l.server.CloseClientConnections()
		l.server.Close()
	})
	return l, &rest.Config{Host: l.server.URL, QPS: -1}
}

// spoiling has the line spoil, or not if how is nil, what is said of the Secret from now on.
func (l *line) spoiling(how func([]byte) []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spoil = how
	clear(l.bad)
}

// spoilt returns how often it has spoiled something, by what was asked.
func (l *line) spoilt() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]int{}
	for asked, n := range l.bad {
		all[asked] = n
	}
	return all
}

func (l *line) answer(r *http.Response) error {
	if !strings.HasSuffix(r.Request.URL.Path, "/secrets") || r.Request.Method != http.MethodGet {
		return nil
	}
	asked := "maps"
	switch accept := r.Request.Header.Get("Accept"); {
	case strings.Contains(accept, "PartialObjectMetadata"):
		asked = "metadata"
	case !strings.HasPrefix(accept, "application/json,"):
		asked = "objects"
	}
	r.Header.Del("Content-Length")
	r.ContentLength = -1
	r.Body = &body{from: r.Body, lines: bufio.NewReader(r.Body), line: l, asked: asked}
	return nil
}

func (l *line) pass(text []byte, asked string) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spoil == nil || !bytes.Contains(text, []byte(`"name":"`+spoiled+`"`)) {
		return text
	}
	l.bad[asked]++
	return l.spoil(text)
}

// body passes on line by line: an event of a watch has one, and so has a list.
type body struct {
	from  io.ReadCloser
	lines *bufio.Reader
	line  *line
	asked string
	rest  []byte // of a line
	err   error  // after the rest
}

// Read is a reader's.
func (b *body) Read(into []byte) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		b.rest, b.err = b.lines.ReadBytes('\n')
		b.rest = b.line.pass(b.rest, b.asked)
	}
	n := copy(into, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close closes the server's answer.
func (b *body) Close() error { return b.from.Close() }

// spoilers are ways to make something of a line that can't be read, by what is wrong with it.
var spoilers = map[string]func([]byte) []byte{
	"no kind": func(text []byte) []byte {
		for _, kind := range []string{"Secret", "SecretList", "PartialObjectMetadata", "PartialObjectMetadataList"} {
			text = bytes.ReplaceAll(text, []byte(`"kind":"`+kind+`",`), nil)
		}
		return text
	},
	"no version": func(text []byte) []byte {
		text = bytes.ReplaceAll(text, []byte(`"apiVersion":"meta.k8s.io/v1",`), nil)
		return bytes.ReplaceAll(text, []byte(`"apiVersion":"v1",`), nil)
	},
	"another kind": func(text []byte) []byte {
		return bytes.ReplaceAll(text, []byte(`"kind":"`), []byte(`"kind":"Odd`))
	},
	"another type": func(text []byte) []byte {
		text = bytes.ReplaceAll(text, []byte(`"annotations":{`), []byte(`"annotations":{"list":["`))
		return bytes.ReplaceAll(text, []byte(`"data":{`), []byte(`"data":{"number":12,"list":["x"],"text":"not base64",`))
	},
	"no end":       func(text []byte) []byte { return append(bytes.Clone(text[:len(text)*2/3]), "\"}}}]}\n"...) },
	"no JSON":      func(text []byte) []byte { return append([]byte("}"), text...) },
	"another word": func(text []byte) []byte { return bytes.Replace(text, []byte(`"type":"`), []byte(`"type":"ODD`), 1) },
	"no labels": func(text []byte) []byte {
		return bytes.ReplaceAll(text, []byte(`"labels":{`), []byte(`"labels":{"deep":{"er":1},`))
	},
}
