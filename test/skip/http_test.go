package skip

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// config returns the configuration for clients of the server.
func (s *server) config() *rest.Config {
	if s.real != nil {
		return s.real.config()
	}
	return &rest.Config{Host: "http://server.invalid", Transport: s, QPS: -1}
}

// newMapper knows all kinds, whether they are served or not.
func newMapper() *meta.DefaultRESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, k := range allKinds {
		mapper.AddSpecific(k.GroupVersionKind, k.GroupVersion().WithResource(k.plural), k.GroupVersion().WithResource(k.plural), meta.RESTScopeNamespace)
	}
	return mapper
}

// asked is the meaning of the path and headers of a request.
type asked struct {
	door
	namespace, name string
}

// parse reads /api/v1/…, /apis/group/version/…, with and without a namespace.
func parse(r *http.Request) (asked, bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	group := ""
	switch {
	case parts[0] == "api" && len(parts) > 2:
		parts = parts[2:]
	case parts[0] == "apis" && len(parts) > 3:
		group, parts = parts[1], parts[3:]
	default:
		return asked{}, false
	}
	a := asked{}
	if parts[0] == "namespaces" && len(parts) > 2 {
		a.namespace, parts = parts[1], parts[2:]
	}
	if len(parts) > 1 {
		a.name = parts[1]
	}
	i := slices.IndexFunc(allKinds, func(k *kind) bool { return k.Group == group && k.plural == parts[0] })
	if i < 0 {
		return asked{}, false
	}
	a.kind, a.form = allKinds[i], mapForm
	switch accept := r.Header.Get("Accept"); {
	case strings.Contains(accept, "as=PartialObjectMetadata"):
		a.form = metadataForm
	case strings.Contains(accept, "protobuf"):
		a.form = typedForm
	}
	return a, true
}

// RoundTrip answers a request, after a while.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	late := s.latency()
	time.Sleep(late / 2)
	answer := s.answer(r)
	time.Sleep(late - late/2)
	if err := r.Context().Err(); err != nil {
		_ = answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

func (s *server) answer(r *http.Request) *http.Response {
	if answer := s.answerAboutItself(r); answer != nil {
		return answer
	}
	a, ok := parse(r)
	if !ok {
		return refuse(r, http.StatusNotFound, metav1.StatusReasonNotFound)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	refuses := s.mannersLocked(a.door).refuses
	switch {
	case refuses == http.StatusNotFound || a.name == "" && refuses != 0:
		return refuse(r, refuses, map[int]metav1.StatusReason{
			http.StatusNotFound: metav1.StatusReasonNotFound, http.StatusForbidden: metav1.StatusReasonForbidden,
		}[refuses])
	case r.Method == http.MethodPut && a.name != "":
		return s.putLocked(r, a)
	case r.Method != http.MethodGet:
		return refuse(r, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed)
	case a.name != "":
		return s.getLocked(r, a)
	case query.Get("watch") == "true" || query.Get("watch") == "1":
		return s.watchLocked(r, a)
	default:
		return s.listLocked(r, a)
	}
}

func respond(r *http.Request, status int, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body, ContentLength: -1, Request: r,
	}
}

func respondWith(r *http.Request, status int, body []byte) *http.Response {
	return respond(r, status, io.NopCloser(bytes.NewReader(body)))
}

func refuse(r *http.Request, status int, reason metav1.StatusReason) *http.Response {
	body, err := json.Marshal(statusOf(status, reason))
	if err != nil {
		panic(err)
	}
	return respondWith(r, status, body)
}

func statusOf(status int, reason metav1.StatusReason) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: int32(status), Reason: reason, Message: "as the world wants it",
	}
}

func (s *server) getLocked(r *http.Request, a asked) *http.Response {
	found := s.presentLocked(objectID{a.kind, a.namespace, a.name})
	if found == nil {
		return refuse(r, http.StatusNotFound, metav1.StatusReasonNotFound)
	}
	return respondWith(r, http.StatusOK, found.in(a.form))
}

// putLocked writes an object that a client has read, if nobody else has written it in
// between.
func (s *server) putLocked(r *http.Request, a asked) *http.Response {
	id := objectID{a.kind, a.namespace, a.name}
	before := s.presentLocked(id)
	if before == nil {
		return refuse(r, http.StatusNotFound, metav1.StatusReasonNotFound)
	}
	var object map[string]any
	if err := json.NewDecoder(r.Body).Decode(&object); err != nil {
		return refuse(r, http.StatusBadRequest, metav1.StatusReasonBadRequest)
	}
	if version, _ := (&place{fields: []any{"metadata", "resourceVersion"}}).get(object).(string); version != strconv.FormatInt(before.version, 10) {
		return refuse(r, http.StatusConflict, metav1.StatusReasonConflict)
	}
	changed := before.copied()
	note.set(changed, note.get(object)) // a world's client writes nothing else
	s.recordLocked("MODIFIED", id, changed)
	return respondWith(r, http.StatusOK, s.presentLocked(id).in(a.form))
}

func (s *server) listLocked(r *http.Request, a asked) *http.Response {
	version, name := a.kind.ToAPIVersionAndKind()
	if a.form == metadataForm {
		version, name = "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	var body bytes.Buffer
	fmt.Fprintf(&body, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"%d"},"items":[`, version, name+"List", s.version)
	for i, found := range s.allLocked(a) {
		if i > 0 {
			body.WriteByte(',')
		}
		body.Write(found.in(a.form))
	}
	body.WriteString("]}")
	return respondWith(r, http.StatusOK, body.Bytes())
}

// allLocked returns the objects, oldest first.
func (s *server) allLocked(a asked) []*state {
	var all []*state
	for id := range s.past {
		if id.kind == a.kind && (a.namespace == "" || a.namespace == id.namespace) {
			if found := s.presentLocked(id); found != nil {
				all = append(all, found)
			}
		}
	}
	slices.SortFunc(all, func(x, y *state) int { return int(x.version - y.version) })
	return all
}

// answerAboutItself answers what a memory asks: which cluster it is.
func (s *server) answerAboutItself(r *http.Request) *http.Response {
	switch {
	case !s.describes:
		return nil
	case r.URL.Path == "/api/v1/namespaces/kube-system":
		return respondWith(r, http.StatusOK, encode(partial(map[string]any{"metadata": map[string]any{"name": "kube-system", "uid": fmt.Sprint("cluster ", s.cluster)}})))
	default:
		return nil
	}
}
