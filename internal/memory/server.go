package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// Server is the API server.
type Server struct {
	Config *rest.Config
	HTTP   *http.Client
}

// cluster is which one it is.
type cluster struct {
	// UID is that of the namespace kube-system, which lives as long as the cluster. It is empty for those who may not read it.
	UID string
	// Address is a digest of where the server is and which authority vouches for it.
	Address string
}

// facts are what the server says about itself.
type facts struct {
	cluster cluster
	tags    map[string]string // of the descriptions, by group and version
}

// sameCluster compares by what both know.
func (f *facts) sameCluster(other cluster) bool {
	if f.cluster.UID != "" && other.UID != "" {
		return f.cluster.UID == other.UID
	}
	return f.cluster == other
}

// patience is how long the server may take to answer a question about itself.
const patience = 5 * time.Second

// askAgain is how long to wait before a server is asked again that gave no answer.
const askAgain = time.Second

// askUntilAnswered returns the facts. It waits for a server that can't be reached, as a list would.
func (m *Memory) askUntilAnswered(ctx context.Context, server Server) (*facts, error) {
	for {
		here, err := m.facts(ctx, server)
		var refused apierrors.APIStatus
		if err == nil || errors.As(err, &refused) || !sleep(ctx, askAgain) {
			return here, err
		}
	}
}

// facts asks the server about itself, once.
func (m *Memory) facts(ctx context.Context, server Server) (*facts, error) {
	m.mu.Lock()
	known := m.server
	m.mu.Unlock()
	if known != nil {
		return known, nil
	}
	found, err := server.facts(ctx)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.server = found
	return found, nil
}

func (s Server) facts(ctx context.Context) (*facts, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	found := &facts{cluster: cluster{Address: s.address()}}
	system := &metav1.PartialObjectMetadata{}
	err = client.Get().AbsPath("/api/v1/namespaces/kube-system").
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json").Do(ctx).Into(system)
	switch {
	case err == nil:
		found.cluster.UID = string(system.UID)
	case !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) && !apierrors.IsUnauthorized(err):
		return nil, fmt.Errorf("ask which cluster it is: %w", err)
	}
	text, err := client.Get().AbsPath("/openapi/v3").SetHeader("Accept", "application/json").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask for the versions of the server's descriptions: %w", err)
	}
	if found.tags, err = readTags(text); err != nil {
		return nil, fmt.Errorf("read the versions of the server's descriptions: %w", err)
	}
	return found, nil
}

// readTags returns what changes with each description.
func readTags(text []byte) (map[string]string, error) {
	var index struct {
		Paths map[string]struct {
			ServerRelativeURL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, err
	}
	tags := map[string]string{}
	for at, of := range index.Paths {
		version, ok := strings.CutPrefix(at, "apis/")
		if !ok {
			version, ok = strings.CutPrefix(at, "api/")
		}
		where, err := url.Parse(of.ServerRelativeURL)
		if ok && err == nil {
			tags[version] = where.Query().Get("hash")
		}
	}
	return tags, nil
}

func (s Server) client() (rest.Interface, error) {
	config := rest.CopyConfig(s.Config)
	config.GroupVersion = &metav1.SchemeGroupVersion
	config.APIPath = "/"
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.ContentConfig.ContentType = "application/json"
	client, err := rest.RESTClientForConfigAndClient(config, s.HTTP)
	if err != nil {
		return nil, fmt.Errorf("make a client for questions about the server: %w", err)
	}
	return client, nil
}

func (s Server) address() string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q %q %q", s.Config.Host, s.Config.ServerName, s.Config.CAFile)
	_, _ = sum.Write(s.Config.CAData)
	return hex.EncodeToString(sum.Sum(nil))
}
