package certs

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// Names of the objects that the Keeper writes, and how often it looks at them.
const (
	SecretName              = "sample-operator-webhook-cert"
	MutatingConfiguration   = "sample-operator-mutating-webhook-configuration"
	ValidatingConfiguration = "sample-operator-validating-webhook-configuration"
	ServiceName             = "sample-operator-webhook-service"
	caKey                   = "ca.crt"
	fieldManager            = "sample-operator-certs"
	every                   = 10 * time.Second // a look takes three small requests
	soon                    = time.Second      // after one that failed, while nothing is served
)

// The Secret is in the operator's namespace. The right to create Secrets can't be limited to
// one name. The other rights can, and are.
//
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create,namespace=system
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=sample-operator-webhook-cert,verbs=get;update,namespace=system
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations,resourceNames=sample-operator-mutating-webhook-configuration,verbs=get;patch
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=validatingwebhookconfigurations,resourceNames=sample-operator-validating-webhook-configuration,verbs=get;patch

// Keeper keeps a certificate in a Secret, serves it, and makes the API server trust it.
type Keeper struct {
	api       client.Client
	namespace string
	names     []string
	log       logr.Logger

	served atomic.Pointer[tls.Certificate]

	mu   sync.Mutex // held during a look; guards what is below
	pair Pair       // what is served
}

// Options say where a Keeper keeps the certificate, and what names it is for.
type Options struct {
	// API reads from the server, and not from a cache.
	API client.Client
	// Namespace is that of the Secret, and of the webhooks' Service.
	Namespace string
	// Names are names and addresses to serve under, in addition to the Service's.
	Names []string
	Log   logr.Logger
}

// NewKeeper returns a Keeper that has not looked yet. Let the manager run it, and call Guard
// with the webhook server.
func NewKeeper(o Options) *Keeper {
	service := ServiceName + "." + o.Namespace + ".svc"
	return &Keeper{
		api: o.API, namespace: o.Namespace, log: o.Log,
		names: append([]string{service, service + ".cluster.local"}, o.Names...),
	}
}

// GetCertificate is for a tls.Config.
func (k *Keeper) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if cert := k.served.Load(); cert != nil {
		return cert, nil
	}
	return nil, errors.New("there is no certificate yet")
}

// Guard returns the server s, changed so that it starts only when there is a certificate.
func (k *Keeper) Guard(s webhook.Server) webhook.Server { return &guarded{Server: s, keeper: k} }

// guarded is a webhook server that waits for the certificate. It has to make the first one
// itself: a manager starts webhook servers before everything else.
type guarded struct {
	webhook.Server
	keeper *Keeper
}

// Start is called by the manager.
func (g *guarded) Start(ctx context.Context) error {
	if err := g.keeper.first(ctx); err != nil {
		return nil //nolint:nilerr // the manager ends before there is anything to serve
	}
	return g.Server.Start(ctx)
}

// NeedLeaderElection returns false: every replica serves, so every replica looks.
func (k *Keeper) NeedLeaderElection() bool { return false }

// Start looks at regular times until ctx ends.
func (k *Keeper) Start(ctx context.Context) error {
	for wait(ctx, every) == nil {
		if err := k.look(ctx); err != nil && ctx.Err() == nil {
			k.log.Error(err, "Can't check or renew the webhooks' certificate")
		}
	}
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// first looks until there is a certificate to serve.
func (k *Keeper) first(ctx context.Context) error {
	for {
		err := k.look(ctx)
		if k.served.Load() != nil {
			return nil
		}
		k.log.Error(err, "There is no certificate for the webhooks yet, looking again", "after", soon)
		if err := wait(ctx, soon); err != nil {
			return err
		}
	}
}

// look checks the Secret and the bundles once, and repairs what is wrong with them.
func (k *Keeper) look(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, every)
	defer cancel()
	pair, err := k.keep(ctx)
	if err != nil {
		return err
	}
	trusted, err := k.trust(ctx, pair.CA)
	if pair.equal(k.pair) || k.served.Load() != nil && !trusted {
		return err // the API server needs a moment to know a new CA
	}
	cert, broken := tls.X509KeyPair(pair.Cert, pair.Key)
	if broken != nil {
		return fmt.Errorf("read the certificate in Secret %s: %w", SecretName, broken)
	}
	k.served.Store(&cert)
	k.pair = pair
	k.log.Info("Serving webhooks with another certificate", "until", cert.Leaf.NotAfter)
	return err
}

// keep returns the pair in the Secret. If that pair is not good, it writes a new one.
func (k *Keeper) keep(ctx context.Context) (Pair, error) {
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: k.namespace, Name: SecretName}
	err := k.api.Get(ctx, key, &secret)
	if client.IgnoreNotFound(err) != nil {
		return Pair{}, fmt.Errorf("read Secret %s: %w", key, err)
	}
	exists, now := err == nil, time.Now()
	found := Pair{CA: secret.Data[caKey], Cert: secret.Data[corev1.TLSCertKey], Key: secret.Data[corev1.TLSPrivateKeyKey]}
	reason := Judge(found, k.names, now)
	if reason == nil {
		return found, nil
	}
	k.log.Info("Making a certificate for the webhooks", "because", reason.Error())
	made, err := Make(k.names, now, found)
	if err != nil {
		return Pair{}, err
	}
	data := map[string][]byte{caKey: made.CA, corev1.TLSCertKey: made.Cert, corev1.TLSPrivateKeyKey: made.Key}
	if exists {
		secret.Data = data // with the version that was read, so that it never overwrites another replica's pair
		err = k.api.Update(ctx, &secret, client.FieldOwner(fieldManager))
	} else {
		err = k.api.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: k.namespace, Name: SecretName},
			Type:       corev1.SecretTypeTLS, Data: data,
		}, client.FieldOwner(fieldManager))
	}
	if err != nil {
		return Pair{}, fmt.Errorf("write Secret %s: %w", key, err)
	}
	return made, nil
}

// trust puts the CAs into the WebhookConfigurations, and returns whether they were there
// already.
func (k *Keeper) trust(ctx context.Context, bundle []byte) (already bool, err error) {
	already = true
	var failed []error
	for _, c := range []struct {
		name   string
		object client.Object
	}{
		{MutatingConfiguration, &admissionv1.MutatingWebhookConfiguration{}},
		{ValidatingConfiguration, &admissionv1.ValidatingWebhookConfiguration{}},
	} {
		err := k.api.Get(ctx, client.ObjectKey{Name: c.name}, c.object)
		if apierrors.IsNotFound(err) {
			continue // nobody calls the webhooks yet
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("read %s: %w", c.name, err))
			continue
		}
		before := c.object.DeepCopyObject().(client.Object)
		if !setBundle(c.object, bundle) {
			continue
		}
		already = false
		// This merges by the webhooks' names, and contains nothing but the bundle.
		patch := client.StrategicMergeFrom(before, client.MergeFromWithOptimisticLock{})
		if err := k.api.Patch(ctx, c.object, patch, client.FieldOwner(fieldManager)); err != nil {
			failed = append(failed, fmt.Errorf("put the CA into %s: %w", c.name, err))
		}
	}
	return already, errors.Join(failed...)
}

// setBundle reports whether the configuration had another bundle before.
func setBundle(configuration client.Object, bundle []byte) (changed bool) {
	set := func(c *admissionv1.WebhookClientConfig) {
		changed = changed || !bytes.Equal(c.CABundle, bundle)
		c.CABundle = bundle
	}
	switch c := configuration.(type) {
	case *admissionv1.MutatingWebhookConfiguration:
		for i := range c.Webhooks {
			set(&c.Webhooks[i].ClientConfig)
		}
	case *admissionv1.ValidatingWebhookConfiguration:
		for i := range c.Webhooks {
			set(&c.Webhooks[i].ClientConfig)
		}
	default:
		panic(fmt.Sprintf("BUG: %T has no webhooks", configuration))
	}
	return changed
}
