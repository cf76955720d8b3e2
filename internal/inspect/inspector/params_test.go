package inspector

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

var allForms = append([]param{howMany}, ofDeltas...)

func TestQueriesThatAreRefused(t *testing.T) {
	for raw, want := range map[string]string{
		"names=web":                           `there is no parameter "names"; there are limit, kind,`,
		"name=a&name=b":                       "the parameter name is there 2 times",
		"limit=":                              "has to be a number from 1 to 1000",
		"limit=0":                             "has to be a number from 1 to 1000",
		"limit=-1":                            "has to be a number from 1 to 1000",
		"limit=1001":                          "has to be a number from 1 to 1000",
		"limit=1e2":                           "has to be a number from 1 to 1000",
		"limit=99999999999999999999":          "has to be a number from 1 to 1000",
		"since=yesterday":                     "has to be the ID of a delta",
		"since=.5":                            "has to be the ID of a delta",
		"since=a.b":                           "has to be the ID of a delta",
		"since=18446744073709551616":          "has to be the ID of a delta",
		"op=Exploded":                         "has to be one of Added, Updated, Deleted, Sync, OutOfScope",
		"name=%zz":                            "the query can't be read",
		"a;b":                                 "the query can't be read",
		"name=%00":                            "without control characters",
		"name=%ff":                            "without control characters",
		"name=" + strings.Repeat("a", 1025):   "at most 1024 bytes long",
		"name=" + strings.Repeat("a", 10_000): "and 8192 are the most",
	} {
		_, err := parseQuery(raw, allForms)
		if err == nil || !strings.Contains(err.Error(), want) || statusOf(err) != http.StatusBadRequest {
			t.Errorf("%.40s: refused with %v, want %q", raw, err, want)
		}
	}
	if _, err := parseQuery("", []param{thisKind}); err == nil || !strings.Contains(err.Error(), "kind is missing") {
		t.Errorf("a query without what it needs: %v", err)
	}
	if _, err := parseQuery("x=1", nil); err == nil || !strings.Contains(err.Error(), "there are none here") {
		t.Errorf("a query where there are none: %v", err)
	}
}

func TestQueriesThatAreTaken(t *testing.T) {
	q, err := parseQuery("kind=pods&namespace=&op=updated&since=abc.7&limit=3", allForms)
	must(t, err)
	if q.texts["kind"] != "pods" || q.texts["op"] != "Updated" || q.since != (place{"abc", 7}) || !q.hasFrom || q.limit != 3 {
		t.Errorf("read as %+v", q)
	}
	if q, err := parseQuery("since=9", allForms); err != nil || q.since != (place{"", 9}) || q.limit != usualItems {
		t.Errorf("read as %+v (error %v)", q, err)
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "kind=pods&limit=3", "since=a.1", "op=added", "name=%zz", "limit=0", "a;b", "name=a&name=b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseQuery(raw, allForms)
		if err != nil {
			if statusOf(err) != http.StatusBadRequest || len(err.Error()) > 1000 {
				t.Errorf("refused with %v", err)
			}
			return
		}
		if q.limit < 1 || q.limit > mostItems {
			t.Errorf("the limit is %d", q.limit)
		}
		// Written down again, it is read as the same.
		values := url.Values{}
		for name, value := range q.texts {
			values.Set(name, value)
		}
		if again, err := parseQuery(values.Encode(), allForms); err != nil || len(again.texts) != len(q.texts) {
			t.Errorf("%q is read as %v and then as %v (error %v)", raw, q.texts, again.texts, err)
		}
		if q.hasFrom && q.since.process != "" {
			if again, ok := parsePlace(q.since.String()); !ok || again != q.since {
				t.Errorf("%v is read as %v", q.since, again)
			}
		}
	})
}

func TestKindsAreFoundAsWithKubectl(t *testing.T) {
	kinds := []v1.Kind{
		{Name: "v1 Pod", Version: "v1", Kind: "Pod"},
		{Name: "v1 Pod (metadata)", Version: "v1", Kind: "Pod"},
		{Name: "apps/v1 Deployment", Group: "apps", Version: "v1", Kind: "Deployment"},
		{Name: "networking.k8s.io/v1 Ingress", Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"},
		{Name: "example.com/v1 Ingress", Group: "example.com", Version: "v1", Kind: "Ingress"},
		{Name: "policy/v1 Policy", Group: "policy", Version: "v1", Kind: "Policy"},
		{Name: "example.com/v1 Gateway", Group: "example.com", Version: "v1", Kind: "Gateway"},
		{Name: "v1 Endpoints", Version: "v1", Kind: "Endpoints"},
		{Name: "v1 ConfigMap", Version: "v1", Kind: "ConfigMap"},
	}
	for asked, want := range map[string]string{
		"v1 Pod": "v1 Pod", "v1 pod (metadata)": "v1 Pod (metadata)",
		"deployments": "apps/v1 Deployment", "Deployment": "apps/v1 Deployment", "deployments.apps": "apps/v1 Deployment",
		"DEPLOYMENT.apps": "apps/v1 Deployment", "deployments.v1.apps": "apps/v1 Deployment", "apps/v1 deployment": "apps/v1 Deployment",
		"ingresses.example.com": "example.com/v1 Ingress", "ingress.v1.networking.k8s.io": "networking.k8s.io/v1 Ingress",
		"policies": "policy/v1 Policy", "gateways": "example.com/v1 Gateway", "endpoints": "v1 Endpoints",
		"configmaps": "v1 ConfigMap", "configmaps.v1": "v1 ConfigMap", "configmaps.v1.": "v1 ConfigMap", "configmap.": "v1 ConfigMap",
		// The form with all fields is meant, unless another is named in full.
		"pods": "v1 Pod", "po": "v1 Pod", "v1 Pod (metadata)": "v1 Pod (metadata)",
		"deploy": "apps/v1 Deployment", "cm": "v1 ConfigMap", "ing.example.com": "example.com/v1 Ingress",
		"ingress":             `400 "ingress" may mean networking.k8s.io/v1 Ingress, example.com/v1 Ingress; use one of these names`,
		"deployments.apps2":   `404 the cache has no kind "deployments.apps2"; it has v1 Pod, v1 Pod (metadata), apps/v1 Deployment,`,
		"deployments.v2.apps": `404 the cache has no kind`,
		"dep":                 `404 the cache has no kind`, ".": `404 the cache has no kind`, "s": `404 the cache has no kind`,
	} {
		got, err := findKind(kinds, asked)
		if err != nil {
			got = http.StatusText(statusOf(err))
			got = map[string]string{"Bad Request": "400 ", "Not Found": "404 "}[got] + err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", asked, got, want)
		}
	}
	if _, err := findKind(nil, "pods"); err == nil || !strings.Contains(err.Error(), "it has none") {
		t.Errorf("in an empty cache: %v", err)
	}
	if _, err := findKind(make([]v1.Kind, 30), "pods"); err == nil || !strings.Contains(err.Error(), "and others") {
		t.Errorf("in a large cache: %v", err)
	}
}
