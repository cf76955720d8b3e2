package wireserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// route has the server answer to its paths.
func (s *Server) route() {
	version := s.GroupVersion()
	resources := &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: version.String(),
		APIResources: []metav1.APIResource{{
			Name: s.resource, SingularName: strings.ToLower(s.Kind), Namespaced: true, Kind: s.Kind,
			Verbs: metav1.Verbs{"get", "list", "watch"},
		}},
	}
	core := &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{"v1"}}
	groups := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	root := "/api/" + version.Version
	if version.Group != "" {
		root = "/apis/" + version.String()
		named := metav1.GroupVersionForDiscovery{GroupVersion: version.String(), Version: version.Version}
		groups.Groups = []metav1.APIGroup{{Name: version.Group, Versions: []metav1.GroupVersionForDiscovery{named}, PreferredVersion: named}}
		group := groups.Groups[0]
		group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		s.say("GET /apis/"+version.Group, &group)
		s.say("GET /api/v1", &metav1.APIResourceList{TypeMeta: resources.TypeMeta, GroupVersion: "v1"})
	}
	s.say("GET /api", core)
	s.say("GET /apis", groups)
	s.say("GET "+root, resources)
	s.mux.HandleFunc("GET "+root+"/"+s.resource, s.answer)
}

// say has the server answer to a path with always the same.
func (s *Server) say(path string, what any) {
	text, err := json.Marshal(what)
	if err != nil {
		panic(fmt.Sprintf("BUG: encode what %s says: %v", path, err))
	}
	s.mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(append(text, '\n'))
	})
}

// A question is a request for the collection.
type question struct {
	format    Format
	version   string
	limit     int
	next      string
	bookmarks bool
	initial   bool
	watch     bool
	timeout   int
	gzip      bool // accepted
}

// answer answers a list or a watch.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	q, err := s.understand(r)
	if err == nil && q.watch {
		err = s.watch(w, r, q)
	} else if err == nil {
		err = s.list(w, q)
	}
	if err != nil {
		refuse(w, q.format, err)
	}
}

// understand reads a request. It refuses what no benchmark asks for, because to leave a
// selector out of account would be wrong.
func (s *Server) understand(r *http.Request) (question, error) {
	values := r.URL.Query()
	number := func(name string) int {
		n, _ := strconv.Atoi(values.Get(name)) // the server's own clients write numbers
		return n
	}
	flag := func(name string) bool { return values.Get(name) == "true" || values.Get(name) == "1" }
	q := question{
		version: values.Get("resourceVersion"), limit: number("limit"), next: values.Get("continue"),
		bookmarks: flag("allowWatchBookmarks"), initial: flag("sendInitialEvents"), watch: flag("watch"), timeout: number("timeoutSeconds"),
		gzip: strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"),
	}
	for _, name := range []string{"labelSelector", "fieldSelector", "shardSelector"} {
		if values.Get(name) != "" {
			return q, apierrors.NewBadRequest(name + " is not served here")
		}
	}
	format, ok := s.choose(r.Header.Get("Accept"))
	if !ok {
		return q, apierrors.NewGenericServerResponse(http.StatusNotAcceptable, "get", schema.GroupResource{Resource: s.resource}, "",
			"nothing of "+r.Header.Get("Accept")+" is served here", 0, true)
	}
	q.format = format
	if q.initial && !s.streams {
		why := field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled")
		return q, apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", field.ErrorList{why})
	}
	return q, nil
}

// choose returns the first format that a client accepts and the server has.
func (s *Server) choose(accept string) (Format, bool) {
	for wanted := range strings.SplitSeq(accept, ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(wanted), ";")
		for _, format := range s.formats {
			if name == format.contentType() {
				return format, true
			}
		}
	}
	if accept == "" || strings.Contains(accept, "*/*") {
		return s.formats[0], true
	}
	return s.formats[0], false
}

// refuse says what is wrong.
func refuse(w http.ResponseWriter, format Format, wrong error) {
	status := apierrors.NewInternalError(wrong).Status()
	if known, ok := wrong.(apierrors.APIStatus); ok {
		status = known.Status()
	}
	text, err := encodeStatus(format, status)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if format == JSON {
		text = append(text, '\n')
	}
	w.Header().Set("Content-Type", format.contentType())
	w.WriteHeader(int(status.Code))
	_, _ = w.Write(text)
}

// encodeStatus encodes a Status as it stands in a frame or an answer.
func encodeStatus(format Format, status metav1.Status) ([]byte, error) {
	of := metav1.SchemeGroupVersion.WithKind("Status")
	of.Group, of.Version = "", "v1"
	status.SetGroupVersionKind(of)
	if format == JSON {
		return json.Marshal(status)
	}
	text, err := status.Marshal()
	if err != nil {
		return nil, err
	}
	return envelope(of, text)
}
