package wire

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
)

// A Client lists and watches one kind.
type Client struct {
	Kind
	// Request returns a request for the kind. The options and the verb's parameters are in it.
	Request func(ctx context.Context, opts metav1.ListOptions) (*rest.Request, error)
	// Negotiator finds a decoder for what the server sends, if it is nothing that is known here.
	Negotiator runtime.ClientNegotiator

	read listwatch.Reader
}

// New completes a client.
func New(c Client) *Client {
	c.complete()
	c.read = listwatch.Expecting(c.Example)
	return &c
}

// media are the types of content that are read here. Others are left to the Negotiator.
type media uint8

const (
	foreign media = iota
	isJSON
	isProto
)

// answer is what a server has answered.
type answer struct {
	body   io.ReadCloser
	media  media
	name   string
	params map[string]string
}

// ask sends a request. A list is measured. As with client-go, a watch is not held back by the limit on requests.
func (c *Client) ask(ctx context.Context, opts metav1.ListOptions, list *measure) (answer, error) {
	request, err := c.Request(ctx, opts)
	if err != nil {
		return answer{}, err
	}
	if list == nil {
		request.Throttle(nil)
	} else {
		list.began, list.asked = time.Now(), request.URL()
	}
	var header http.Header
	body, err := request.Stream(context.WithValue(ctx, headerKey{}, &header))
	if err != nil {
		return answer{}, listwatch.WithoutQuotes(err)
	}
	if list != nil {
		body = measuredBody{body, list}
	}
	a := answer{body: body}
	if a.name, a.params, err = mime.ParseMediaType(header.Get("Content-Type")); err != nil {
		a.name = runtime.ContentTypeJSON // as client-go does
	}
	switch a.name {
	case runtime.ContentTypeJSON:
		a.media = isJSON
	case runtime.ContentTypeProtobuf:
		a.media = isProto
	}
	return a, nil
}

// Each lists the kind, and hands on each object as it arrives.
func (c *Client) Each(ctx context.Context, opts metav1.ListOptions, do func(listwatch.Item[any])) (listwatch.Page[any], error) {
	var list measure
	defer func() { list.tell(ctx) }()
	answered, err := c.askAgain(ctx, opts, &list)
	if err != nil {
		return listwatch.Page[any]{}, err
	}
	defer answered.body.Close() //nolint:errcheck // it has been read
	head, err := c.list(ctx, answered, do)
	if err != nil {
		return listwatch.Page[any]{}, fmt.Errorf("read the answer to a list of %s: %w", c.GVK.Kind, listwatch.WithoutQuotes(err))
	}
	return listwatch.Page[any]{Version: head.ResourceVersion, Continue: head.Continue}, nil
}

func (c *Client) list(ctx context.Context, answered answer, do func(listwatch.Item[any])) (listHead, error) {
	objects := c.objects()
	objects.trusted = c.Known != nil && !listwatch.Distrusts(ctx)
	each := func(got arrival) { do(got.item()) }
	in := newWindow(answered.body, wideWindow)
	var head listHead
	var err error
	switch answered.media {
	case isJSON:
		head, err = (&jsonList{in: in, objects: objects, each: each}).read()
	case isProto:
		head, err = (&protoList{in: in, objects: objects, each: each}).list()
	default:
		head, err = c.foreignList(answered, each)
	}
	if err == nil {
		err = c.isList(head, answered.media)
	}
	return head, err
}

// isList reports why a list is none of the kind.
func (c *Client) isList(head listHead, as media) error {
	version, kind := c.sent.ToAPIVersionAndKind()
	kind += "List"
	exact := head.Kind == kind && head.APIVersion == version
	switch {
	case exact || as == foreign:
		return nil
	case head.Kind == "Table" && head.GroupVersionKind().Group == metav1.GroupName:
		return listwatch.ErrTable
	case c.free() && head.Kind != "" && head.Kind != "Status":
		return nil // whatever it calls itself
	case c.metadata() && as == isJSON && head.Kind != "" && head.APIVersion != "" && head.Kind != "Status":
		return nil // of a server that sends more than it was asked for
	case !c.free() && !c.metadata() && (head.Kind == "" || head.Kind == kind) && (head.APIVersion == "" || head.APIVersion == version):
		return nil // it goes without saying
	}
	return fmt.Errorf("the server answered with a %q of version %q, and not with a %q of version %q", head.Kind, head.APIVersion, kind, version)
}

// foreignList reads a list as client-go does.
func (c *Client) foreignList(answered answer, each func(arrival)) (listHead, error) {
	decoder, err := c.Negotiator.Decoder(answered.name, answered.params)
	if err != nil {
		return listHead{}, err
	}
	data, err := io.ReadAll(answered.body)
	if err != nil {
		return listHead{}, err
	}
	list, err := runtime.Decode(decoder, data)
	if err != nil {
		return listHead{}, err
	}
	if status, ok := list.(*metav1.Status); ok {
		return listHead{}, apierrors.FromObject(status)
	}
	about, err := meta.ListAccessor(list)
	if err != nil {
		return listHead{}, err
	}
	head := listHead{ListMeta: metav1.ListMeta{ResourceVersion: about.GetResourceVersion(), Continue: about.GetContinue()}}
	return head, meta.EachListItemWithAlloc(list, func(obj runtime.Object) error {
		each(arrival{obj: obj})
		return nil
	})
}
