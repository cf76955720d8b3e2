package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// Server is the API server.
type Server struct {
	Config *rest.Config
	HTTP   *http.Client
}

// patience is how long the server may take to say which cluster it is.
const patience = 5 * time.Second

// cluster returns which cluster it is: the UID of the namespace kube-system, which lives as long as the cluster. For
// those who may not read that, it is where the server is and which authority vouches for it.
func (s Server) cluster(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client, err := metadata.NewForConfigAndClient(s.Config, s.HTTP)
	if err != nil {
		return "", fmt.Errorf("make a client to ask which cluster it is: %w", err)
	}
	system, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	switch {
	case err == nil && system.UID != "":
		return "uid " + string(system.UID), nil
	case err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err):
		return s.address()
	default:
		return "", fmt.Errorf("ask which cluster it is: %w", err)
	}
}

func (s Server) address() (string, error) {
	authority := s.Config.CAData
	if len(authority) == 0 && s.Config.CAFile != "" { // in a Pod its path is the same in every cluster
		var err error
		if authority, err = os.ReadFile(s.Config.CAFile); err != nil {
			return "", fmt.Errorf("tell which cluster it is by its certificate authority: %w", err)
		}
	}
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q %q %q", s.Config.Host, s.Config.ServerName, authority)
	return "address " + hex.EncodeToString(sum.Sum(nil)), nil
}
