package reach

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// apiServer is as much of an API server, and of the kubelet behind it, as a port-forward takes.
type apiServer struct {
	pod    *corev1.Pod
	target string // where the Pod's port leads
	old    bool   // no WebSockets
	refuse string // what the kubelet says instead of connecting
	// noForward is a user without the right to it.
	noForward bool
	tokens    string // what the TokenRequest API answers

	kept chan httpstream.Connection // has each port-forward once it stands

	mu      sync.Mutex // guards everything below
	paths   []string
	streams map[string]httpstream.Stream // error streams by request
	open    []httpstream.Connection
	tasks   sync.WaitGroup
}

// start returns the path of a kubeconfig for the server.
func (a *apiServer) start(t *testing.T) string {
	t.Helper()
	a.streams, a.kept = map[string]httpstream.Stream{}, make(chan httpstream.Connection, 8)
	s := httptest.NewTLSServer(http.HandlerFunc(a.serve))
	t.Cleanup(func() {
		s.Close()
		a.mu.Lock()
		open := a.open
		a.mu.Unlock()
		for _, conn := range open {
			_ = conn.Close()
		}
		a.tasks.Wait()
	})
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: s.URL, InsecureSkipTLSVerify: true}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: "kubeconfig-token"}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: "home"}
	config.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	content, err := clientcmd.Write(*config)
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (a *apiServer) serve(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.paths = append(a.paths, r.Method+" "+r.URL.Path)
	a.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer kubeconfig-token" {
		http.Error(w, "who are you?", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/api/v1/pods":
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}, Items: []corev1.Pod{*a.pod}}
		_ = json.NewEncoder(w).Encode(list)
	case strings.HasSuffix(r.URL.Path, "/token"):
		answer := authenticationv1.TokenRequest{TypeMeta: metav1.TypeMeta{Kind: "TokenRequest", APIVersion: "authentication.k8s.io/v1"}}
		answer.Status.Token = a.tokens
		_ = json.NewEncoder(w).Encode(answer)
	case r.URL.Path != fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/portforward", a.pod.Namespace, a.pod.Name):
		http.NotFound(w, r)
	case a.noForward:
		http.Error(w, "you may not", http.StatusForbidden)
	case websocket.IsWebSocketUpgrade(r) && !a.old:
		a.tunnel(w, r)
	case httpstream.IsUpgradeRequest(r) && !websocket.IsWebSocketUpgrade(r):
		a.spdy(w, r)
	default:
		http.Error(w, "no WebSockets here", http.StatusBadRequest)
	}
}

// tunnel speaks SPDY within a WebSocket.
func (a *apiServer) tunnel(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{Subprotocols: []string{"SPDY/3.1+" + portforward.PortForwardProtocolV1Name}}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	conn, err := spdy.NewServerConnection(portforward.NewTunnelingConnection("server", ws), a.stream)
	if err == nil {
		a.keep(conn)
	}
}

func (a *apiServer) spdy(w http.ResponseWriter, r *http.Request) {
	if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
		return
	}
	if conn := spdy.NewResponseUpgrader().UpgradeResponse(w, r, a.stream); conn != nil {
		a.keep(conn)
		<-conn.CloseChan()
	}
}

func (a *apiServer) keep(conn httpstream.Connection) {
	a.mu.Lock()
	a.open = append(a.open, conn)
	a.mu.Unlock()
	a.kept <- conn
}

// stream pairs streams as a kubelet does.
func (a *apiServer) stream(s httpstream.Stream, replied <-chan struct{}) error {
	id := s.Headers().Get(corev1.PortForwardRequestIDHeader)
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.Headers().Get(corev1.StreamType) == corev1.StreamTypeError {
		a.streams[id] = s
		return nil
	}
	problems := a.streams[id]
	a.tasks.Go(func() {
		<-replied
		a.connect(s, problems)
	})
	return nil
}

// connect copies between a stream and the Pod's port.
func (a *apiServer) connect(data, problems httpstream.Stream) {
	defer func() {
		_ = problems.Close()
		_ = data.Close()
	}()
	if a.refuse != "" {
		fmt.Fprint(problems, a.refuse)
		return
	}
	conn, err := net.Dial("tcp", a.target) //nolint:noctx // the test ends it
	if err != nil {
		fmt.Fprint(problems, err)
		return
	}
	a.tasks.Go(func() {
		_, _ = io.Copy(conn, data)
		_ = conn.Close()
	})
	_, _ = io.Copy(data, conn)
}
