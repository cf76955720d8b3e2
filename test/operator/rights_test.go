package operator

import (
	"errors"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestRightsComeAndGo runs an operator with the account that it would have in a cluster. The
// account gets its rights late, loses them, and gets them back.
func TestRightsComeAndGo(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	r := rights{api: api, namespace: newNamespace(t, api)}
	key := func(name string) client.ObjectKey { return client.ObjectKey{Namespace: r.namespace, Name: name} }
	account := r.register(t)
	connection, line := newLine(t, account)
	options := managerOptions()
	options.Cache.DefaultNamespaces = map[string]crcache.Config{r.namespace: {}}
	m, c := newManagerOfOurs(t, connection, options, cache.Options{
		Default: cache.KindOptions{Missing: cache.WaitForIt, Reflector: soon},
	})
	reconciler := newReconciler(configMaps, m.GetClient())
	control(t, m, reconciler)
	for _, name := range []string{"stays", "changes", "goes"} {
		create(t, api, configMaps, key(name))
	}

	begin := time.Now()
	started(t, m)
	told := mirror(t, c, &corev1.ConfigMap{})
	if err := c.Get(t.Context(), key("stays"), &corev1.ConfigMap{}); !errors.Is(err, informer.ErrNotSynced) || apierrors.IsNotFound(err) {
		t.Errorf("a Get without rights returns %v, want an error that the kind is not synced", err)
	}
	checkDegraded(t, c, trouble{configMaps, begin}, "is not synced", "grant list and watch")

	r.grant(t)
	awaitAgreement(t, reconciler, api, r.namespace)
	awaitHealth(t, c)
	before := r.onServer(t)
	if got := worldOf(t, c, &corev1.ConfigMapList{}); !got.equal(before) {
		t.Errorf("with rights, the cache has %v, want %v", got, before)
	}

	// An open watch stays open, because the server checks rights only when it is opened.
	begin = time.Now()
	r.revoke(t)
	await.Until(t, "the server to refuse the account", func() bool {
		return apierrors.IsForbidden(directly(t, account).List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(r.namespace)))
	})
	line.cut()
	create(t, api, configMaps, key("comes"))
	change(t, api, configMaps.with(key("changes"), "2"))
	remove(t, api, configMaps, key("goes"))
	await.Until(t, "Healthz to complain", func() bool { return c.Healthz(nil) != nil })
	checkDegraded(t, c, trouble{configMaps, begin}, "shows the state of version", "grant list and watch")
	if got := worldOf(t, c, &corev1.ConfigMapList{}); !got.equal(before) {
		t.Errorf("without rights, the cache has %v, want what it had: %v", got, before)
	}
	change(t, api, configMaps.with(key("comes"), "2"))

	r.grant(t)
	await.Until(t, "the handler to know what the server has", func() bool { return told.world().equal(r.onServer(t)) })
	awaitAgreement(t, reconciler, api, r.namespace)
	awaitHealth(t, c)
	if got, want := worldOf(t, c, &corev1.ConfigMapList{}), r.onServer(t); !got.equal(want) {
		t.Errorf("with rights again, the cache has %v, want %v", got, want)
	}
}

// rights are the rights of an operator in one namespace.
type rights struct {
	api       client.Client
	namespace string
}

const operatorName = "the-operator"

func (r rights) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: r.namespace, Name: operatorName}
}

// register makes an account without rights, and returns a configuration with its token.
func (r rights) register(t *testing.T) *rest.Config {
	t.Helper()
	r.role(t)
	must(t, r.api.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: r.meta()}))
	config, err := shared.ForTest(t).ServiceAccountConfig(t.Context(), r.namespace, operatorName)
	must(t, err)
	return config
}

// role makes the role for the account.
func (r rights) role(t *testing.T) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: r.meta(),
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}}},
	}
	must(t, r.api.Create(t.Context(), role))
}

func (r rights) grant(t *testing.T) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: r.meta(),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: operatorName},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: r.namespace, Name: operatorName}},
	}
	must(t, r.api.Create(t.Context(), binding))
}

func (r rights) revoke(t *testing.T) {
	t.Helper()
	must(t, r.api.Delete(t.Context(), &rbacv1.RoleBinding{ObjectMeta: r.meta()}))
}

func (r rights) onServer(t *testing.T) world {
	t.Helper()
	return worldOf(t, r.api, &corev1.ConfigMapList{}, client.InNamespace(r.namespace))
}

// mirrored is the world that a handler was told about.
type mirrored struct {
	mu  sync.Mutex // guards everything below
	now world
}

func (m *mirrored) world() world {
	m.mu.Lock()
	defer m.mu.Unlock()
	copied := world{}
	for key, version := range m.now {
		copied[key] = version
	}
	return copied
}

// mirror adds a handler for a kind, which may not exist yet.
func mirror(t *testing.T, c crcache.Cache, of client.Object) *mirrored {
	t.Helper()
	m := &mirrored{now: world{}}
	i, err := c.GetInformer(t.Context(), of)
	must(t, err)
	set := func(obj any) {
		m.mu.Lock()
		defer m.mu.Unlock()
		o := obj.(client.Object)
		m.now[client.ObjectKeyFromObject(o)] = o.GetResourceVersion()
	}
	_, err = i.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    set,
		UpdateFunc: func(_, obj any) { set(obj) },
		DeleteFunc: func(obj any) {
			if marked, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = marked.Obj
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			delete(m.now, client.ObjectKeyFromObject(obj.(client.Object)))
		},
	})
	must(t, err)
	return m
}
