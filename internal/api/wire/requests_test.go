package wire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/metrics"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
)

// roundTrip is a server.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func says(body string) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// clientOf returns a client of ConfigMaps in a namespace, and requests of client-go's for the same.
func clientOf(t *testing.T, server roundTrip, limit flowcontrol.RateLimiter) (*Client, *rest.RESTClient) {
	t.Helper()
	base, err := url.Parse("http://nowhere/")
	must(t, err)
	content := rest.ClientContentConfig{GroupVersion: corev1.SchemeGroupVersion, Negotiator: runtime.NewClientNegotiator(scheme.Codecs.WithoutConversion(), corev1.SchemeGroupVersion)}
	requests, err := rest.NewRESTClient(base, "/api/v1", content, limit, Tap(&http.Client{Transport: server}))
	must(t, err)
	return New(Client{
		Kind: *configMaps(), Negotiator: content.Negotiator,
		Request: func(_ context.Context, opts metav1.ListOptions) (*rest.Request, error) {
			return requests.Get().Namespace("somewhere").Resource("configmaps").VersionedParams(&opts, scheme.ParameterCodec), nil
		},
	}), requests
}

func nobody(listwatch.Item[any]) {}

// TestWatchesAreNotHeldBack asks for watches and lists with a limit of one request in ten seconds.
func TestWatchesAreNotHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := flowcontrol.NewTokenBucketRateLimiter(0.1, 1)
		c, _ := clientOf(t, func(*http.Request) (*http.Response, error) {
			return says(`{"kind":"ConfigMapList","apiVersion":"v1","items":[]}`)
		}, limit)
		began := time.Now()
		for range 7 {
			stream, err := c.Watch(t.Context(), metav1.ListOptions{})
			must(t, err)
			stream.Close()
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("seven watches take %v", took)
		}
		for range 3 {
			if _, err := c.Each(t.Context(), metav1.ListOptions{}, nobody); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began).Round(time.Second); took != 20*time.Second {
			t.Errorf("three lists take %v, want 20s", took)
		}
	})
}

// observed are the metrics of client-go. They are the process's.
type observed struct{ latencies, sizes []string }

func (o *observed) Observe(_ context.Context, verb string, u url.URL, took time.Duration) {
	o.latencies = append(o.latencies, fmt.Sprint(verb, " ", u.String(), " ", took))
}

type observedSizes struct{ *observed }

func (o observedSizes) Observe(_ context.Context, verb, host string, size float64) {
	o.sizes = append(o.sizes, fmt.Sprint(verb, " ", host, " ", size))
}

// TestListsAreMeasured has client-go's metrics see a list, by client-go and by us.
func TestListsAreMeasured(t *testing.T) {
	latency, size := metrics.RequestLatency, metrics.ResponseSize
	t.Cleanup(func() { metrics.RequestLatency, metrics.ResponseSize = latency, size })
	synctest.Test(t, func(t *testing.T) {
		var seen observed
		metrics.RequestLatency, metrics.ResponseSize = &seen, observedSizes{&seen}
		c, requests := clientOf(t, func(*http.Request) (*http.Response, error) {
			time.Sleep(3 * time.Second)
			return says(`{"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`)
		}, nil)
		if _, err := c.Each(t.Context(), metav1.ListOptions{Limit: 5, ResourceVersion: "7"}, nobody); err != nil {
			t.Fatal(err)
		}
		opts := metav1.ListOptions{Limit: 5, ResourceVersion: "7"}
		request := requests.Get().Namespace("somewhere").Resource("configmaps").VersionedParams(&opts, scheme.ParameterCodec)
		must(t, request.Do(t.Context()).Error())
		if len(seen.latencies) != 2 || seen.latencies[0] != seen.latencies[1] || len(seen.sizes) != 2 || seen.sizes[0] != seen.sizes[1] {
			t.Errorf("the metrics see %q and %q; both should be twice what client-go tells", seen.latencies, seen.sizes)
		}
	})
}

// TestWhatEndsUnansweredIsAskedForAgain has connections end before there is an answer, and compares with client-go.
func TestWhatEndsUnansweredIsAskedForAgain(t *testing.T) {
	const list = `{"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`
	for name, tt := range map[string]struct {
		answer  string
		endings []error
		ours    func(t *testing.T, c *Client) bool
		theirs  func(t *testing.T, requests *rest.RESTClient) bool
	}{
		"a list": {list, []error{io.EOF, syscall.ECONNRESET, syscall.ECONNREFUSED}, func(t *testing.T, c *Client) bool {
			_, err := c.Each(t.Context(), metav1.ListOptions{}, nobody)
			return err == nil
		}, func(t *testing.T, requests *rest.RESTClient) bool {
			return requests.Get().Resource("configmaps").Do(t.Context()).Error() == nil
		}},
		"a watch": {event("x") + "\n", []error{io.EOF}, func(t *testing.T, c *Client) bool {
			stream, err := c.Watch(t.Context(), metav1.ListOptions{})
			must(t, err)
			defer stream.Close()
			_, err = stream.Next(t.Context())
			return err == nil
		}, func(t *testing.T, requests *rest.RESTClient) bool {
			stream, err := requests.Get().Resource("configmaps").VersionedParams(&metav1.ListOptions{Watch: true}, scheme.ParameterCodec).Watch(t.Context())
			must(t, err)
			defer stream.Stop()
			_, opened := <-stream.ResultChan()
			return opened
		}},
	} {
		for _, ending := range tt.endings {
			for _, failures := range []int{1, 10, 11} {
				synctest.Test(t, func(t *testing.T) {
					asked := 0
					c, requests := clientOf(t, func(*http.Request) (*http.Response, error) {
						if asked++; asked <= failures {
							return nil, ending
						}
						return says(tt.answer)
					}, nil)
					answered, ours := tt.ours(t, c), asked
					asked = 0
					if also := tt.theirs(t, requests); answered != also || ours != asked {
						t.Errorf("%s, %d times %v: it is asked for %d times and answered: %t; with client-go %d times, and %t",
							name, failures, ending, ours, answered, asked, also)
					}
				})
			}
		}
	}
}

// TestAnAnswerAboutAnEndedConnectionIsAnAnswer has the server lose its own connection to a store, and say so.
func TestAnAnswerAboutAnEndedConnectionIsAnAnswer(t *testing.T) {
	asked := 0
	c, _ := clientOf(t, func(*http.Request) (*http.Response, error) {
		asked++
		answer, err := says(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"read from the store: connection reset by peer","reason":"InternalError","code":500}`)
		answer.StatusCode = http.StatusInternalServerError
		return answer, err
	}, nil)
	if _, err := c.Each(t.Context(), metav1.ListOptions{}, nobody); !apierrors.IsInternalError(err) || asked != 1 {
		t.Errorf("it is asked %d times, and the error is %v", asked, err)
	}
}

// TestAWatchIsNotAskedForAgainForEver ends the context while the watch waits.
func TestAWatchIsNotAskedForAgainForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := clientOf(t, func(*http.Request) (*http.Response, error) { return nil, io.EOF }, nil)
		ctx, cancel := context.WithTimeout(t.Context(), againAfter/2)
		defer cancel()
		began := time.Now()
		if stream, err := c.Watch(ctx, metav1.ListOptions{}); err == nil {
			t.Errorf("there is a watch: %v", stream)
		}
		if took := time.Since(began); took != againAfter/2 {
			t.Errorf("it takes %v", took)
		}
	})
}
