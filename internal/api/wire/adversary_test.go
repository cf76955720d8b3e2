package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
)

// closing is a body that says how often it was closed.
type closing struct {
	*io.PipeReader
	times atomic.Int32
}

func (c *closing) Close() error {
	c.times.Add(1)
	return c.PipeReader.Close()
}

// TestManyCloseAStream closes a stream from several goroutines while another one reads. The race detector judges, too.
func TestManyCloseAStream(t *testing.T) {
	from, to := io.Pipe()
	body := &closing{PipeReader: from}
	objects := configMaps().objects()
	objects.events = true
	s := &stream{client: New(Client{Kind: *configMaps()}), body: body, cancel: func() {}, objects: objects, events: &jsonWatch{newWindow(body, 8), objects}}
	var running sync.WaitGroup
	running.Go(func() {
		if event, err := s.Next(t.Context()); event.Err != nil || !errors.Is(err, io.EOF) {
			t.Errorf("a stream that was closed ends with %v, %v", event.Err, err)
		}
	})
	if _, err := to.Write([]byte(`{"type":"ADDED"`)); err != nil { // then somebody reads
		t.Fatal(err)
	}
	for range 8 {
		running.Go(s.Close)
	}
	running.Wait()
	if n := body.times.Load(); n != 1 {
		t.Errorf("the body is closed %d times", n)
	}
}

// TestAListThatSaysTooMuch has a list without an end before its items.
func TestAListThatSaysTooMuch(t *testing.T) {
	const member = 64 << 10
	one := `"a":"` + strings.Repeat("x", member) + `",`
	text := "{" + strings.Repeat(one, maxHead/member+1) + `"items":[]}`
	l := jsonList{in: newWindow(strings.NewReader(text), firstWindow), objects: configMaps().objects(), each: func(arrival) {}}
	if _, err := l.read(); !errors.Is(err, errNoList) {
		t.Errorf("in JSON it ends with %v", err)
	}
	message := []byte(protoPrefix)
	for range maxHead/member + 1 {
		message = append(append(message, 9<<3|protoBytes, 0x80, 0x80, 0x04), make([]byte, member)...)
	}
	p := protoList{in: newWindow(bytes.NewReader(append(message, unknownRaw<<3|protoBytes, 0)), firstWindow), objects: configMaps().objects()}
	if _, err := p.list(); !errors.Is(err, errNoList) {
		t.Errorf("in protobuf it ends with %v", err)
	}
}

// TestAListThatComesTwice has two lists in one message, and then more behind the list. Others take the last one.
func TestAListThatComesTwice(t *testing.T) {
	list := corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []corev1.ConfigMap{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}}
	raw, err := list.Marshal()
	must(t, err)
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "ConfigMapList"}, Raw: raw}
	once, err := unknown.Marshal()
	must(t, err)
	for message, readable := range map[string]bool{string(once): true, string(once) + string(once): false, string(once) + "{}": false} {
		l := protoList{in: newWindow(strings.NewReader(protoPrefix+message), firstWindow), objects: configMaps().objects(), each: func(arrival) {}}
		if _, err := l.list(); (err == nil) != readable {
			t.Errorf("it ends with %v: %q", err, message)
		}
	}
}

// TestAnErrorQuotesNoObject has a server that puts an object where an error should be. It may be a Secret.
func TestAnErrorQuotesNoObject(t *testing.T) {
	objects := configMaps().objects()
	objects.events, objects.decode = true, clientscheme.Codecs.UniversalDeserializer()
	body := io.NopCloser(strings.NewReader(`{"type":"ERROR","object":{"data":{"password":"c2VjcmV0"}}}`))
	s := &stream{client: New(Client{Kind: *configMaps()}), body: body, cancel: func() {}, objects: objects, events: &jsonWatch{newWindow(body, 8), objects}}
	if _, err := s.Next(t.Context()); err == nil || strings.Contains(err.Error(), "c2VjcmV0") {
		t.Errorf("the watch ends with %v", err)
	}
}
