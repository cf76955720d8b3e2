package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// TestTheInspectorOfAManagerThatWaits looks at a manager that can't start, as it may not list a
// kind. The inspector answers all the same, and says what the manager waits for.
func TestTheInspectorOfAManagerThatWaits(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	r := rights{api: api, namespace: newNamespace(t, api)}
	account := r.register(t)
	options := basicOptions()
	options.Cache.DefaultNamespaces = map[string]crcache.Config{r.namespace: {}}
	must(t, drmanager.Configure(&options))
	m := newManager(t, account, options)
	address := controlplane.FreeAddressForTest(t)
	must(t, drmanager.AddInspector(m, inspect.Options{BindAddress: address}))
	if _, err := m.GetCache().GetInformer(t.Context(), &corev1.Secret{}, crcache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	start(t, m)
	await.Success(t, "the inspector to say what the manager waits for", func() error {
		kinds, err := kindsAt(t.Context(), "http://"+address+"/delta/v1/kinds")
		if err != nil {
			return err
		}
		if len(kinds.Items) != 1 || kinds.Items[0].Synced || !strings.Contains(kinds.Items[0].Why, "forbidden") {
			return fmt.Errorf("%+v", kinds)
		}
		return nil
	})
	select {
	case <-m.Elected():
		t.Error("the manager has started, so this shows nothing")
	default:
	}
}

// kindsAt asks an inspector for its kinds.
func kindsAt(ctx context.Context, address string) (kinds v1.KindList, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return kinds, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return kinds, err
	}
	defer func() { _ = answer.Body.Close() }()
	err = json.NewDecoder(answer.Body).Decode(&kinds)
	return kinds, err
}
