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
	"k8s.io/client-go/kubernetes/scheme"
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
	client, err := s.client()
	if err != nil {
		return "", err
	}
	system := &metav1.PartialObjectMetadata{}
	err = client.Get().AbsPath("/api/v1/namespaces/kube-system").
		SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json").Do(ctx).Into(system)
	switch {
	case err == nil && system.UID != "":
		return "uid " + string(system.UID), nil
	case err == nil || apierrors.IsForbidden(err) || apierrors.IsNotFound(err):
		return s.address()
	default:
		return "", fmt.Errorf("ask which cluster it is: %w", err)
	}
}

func (s Server) client() (rest.Interface, error) {
	config := rest.CopyConfig(s.Config)
	config.GroupVersion = &metav1.SchemeGroupVersion
	config.APIPath = "/"
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.ContentConfig.ContentType = "application/json"
	client, err := rest.RESTClientForConfigAndClient(config, s.HTTP)
	if err != nil {
		return nil, fmt.Errorf("make a client to ask which cluster it is: %w", err)
	}
	return client, nil
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
