package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// Token is what the server asks of its users. The kubeconfig has it.
const Token = "kubeconfig-token"

// Pod is a Pod with a port.
type Pod struct {
	*corev1.Pod

	// Target is where each of its ports leads to. Without one the user has no right to a port-forward.
	Target string
}

// APIServer is as much of an API server, and of the kubelets behind it, as a port-forward takes.
type APIServer struct {
	Pods []Pod
	// Tokens is what the TokenRequest API answers.
	Tokens string
	// Kept has each port-forward once it stands.
	Kept chan httpstream.Connection

	mu      sync.Mutex // guards everything below
	paths   []string
	streams map[string]httpstream.Stream // error streams by request
	tasks   *lifecycle.Group
}

// Start returns the path of a kubeconfig for the server.
func (a *APIServer) Start(t *testing.T) string {
	t.Helper()
	a.tasks = lifecycle.New(context.WithoutCancel(t.Context()))
	a.streams, a.Kept = map[string]httpstream.Stream{}, make(chan httpstream.Connection, 1024)
	s := httptest.NewTLSServer(a.serve())
	t.Cleanup(func() {
		s.Close()
		for len(a.Kept) > 0 {
			_ = (<-a.Kept).Close()
		}
		a.tasks.Stop()
		if err := a.tasks.Wait(); err != nil {
			t.Error(err)
		}
	})
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: s.URL, InsecureSkipTLSVerify: true}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: Token}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: "home"}
	config.CurrentContext = "x"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Asked returns the requests so far, each as method and path.
func (a *APIServer) Asked() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.paths)
}

// serve returns what answers a request, if it has the token.
func (a *APIServer) serve() http.HandlerFunc {
	routes := http.NewServeMux()
	routes.HandleFunc("/api/v1/pods", a.list)
	routes.HandleFunc("/api/v1/namespaces/{namespace}/pods", a.list)
	routes.HandleFunc("/api/v1/namespaces/{namespace}/pods/{name}/portforward", a.forward)
	routes.HandleFunc("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token", func(w http.ResponseWriter, _ *http.Request) {
		answer := authenticationv1.TokenRequest{TypeMeta: metav1.TypeMeta{Kind: "TokenRequest", APIVersion: "authentication.k8s.io/v1"}}
		answer.Status.Token = a.Tokens
		write(w, answer)
	})
	return func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.paths = append(a.paths, r.Method+" "+r.URL.Path)
		a.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+Token {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		routes.ServeHTTP(w, r)
	}
}

func write(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// list answers with the Pods of a namespace, or of all, that have the labels.
func (a *APIServer) list(w http.ResponseWriter, r *http.Request) {
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	list := corev1.PodList{TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"}}
	for _, pod := range a.Pods {
		if namespace := r.PathValue("namespace"); (namespace == "" || namespace == pod.Namespace) && selector.Matches(labels.Set(pod.Labels)) {
			list.Items = append(list.Items, *pod.Pod)
		}
	}
	write(w, list)
}

// forward speaks SPDY within a WebSocket.
func (a *APIServer) forward(w http.ResponseWriter, r *http.Request) {
	i := slices.IndexFunc(a.Pods, func(p Pod) bool { return p.Namespace == r.PathValue("namespace") && p.Name == r.PathValue("name") })
	switch {
	case i < 0:
		http.NotFound(w, r)
		return
	case a.Pods[i].Target == "":
		http.Error(w, "you may not", http.StatusForbidden)
		return
	}
	upgrader := websocket.Upgrader{Subprotocols: []string{"SPDY/3.1+" + portforward.PortForwardProtocolV1Name}}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	conn, err := spdy.NewServerConnection(portforward.NewTunnelingConnection("server", ws), a.streamTo(a.Pods[i]))
	if err == nil {
		a.Kept <- conn
	}
}

// streamTo pairs streams as a kubelet does.
func (a *APIServer) streamTo(pod Pod) httpstream.NewStreamHandler {
	return func(s httpstream.Stream, replied <-chan struct{}) error {
		// Two port-forwards may number their requests alike.
		id := pod.Namespace + "/" + pod.Name + "/" + s.Headers().Get(corev1.PortForwardRequestIDHeader)
		a.mu.Lock()
		defer a.mu.Unlock()
		if s.Headers().Get(corev1.StreamType) == corev1.StreamTypeError {
			a.streams[id] = s
			return nil
		}
		problems := a.streams[id]
		a.tasks.Guest("a connection to a Pod", func(context.Context) {
			<-replied
			a.connect(s, problems, pod.Target)
		})
		return nil
	}
}

// connect copies between a stream and the Pod's port.
func (a *APIServer) connect(data, problems httpstream.Stream, target string) {
	defer func() {
		_ = problems.Close()
		_ = data.Close()
	}()
	conn, err := net.Dial("tcp", target) //nolint:noctx // the test ends it
	if err != nil {
		fmt.Fprint(problems, err)
		return
	}
	if !a.tasks.Guest("what goes to the Pod", func(context.Context) {
		_, _ = io.Copy(conn, data)
		_ = conn.Close()
	}) {
		_ = conn.Close() // the test has ended
	}
	_, _ = io.Copy(data, conn)
}
