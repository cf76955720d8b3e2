package sampleoperator

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestRightsAreEnoughAndNeeded lets the operator do everything that it can do: once with all
// rights from config/, and once without each single right.
func TestRightsAreEnoughAndNeeded(t *testing.T) {
	c := newCluster(t, 1, controlplane.Options{})
	roles := c.roles(t)
	p := newPassage(t, c)
	if err := p.run(t); err != nil {
		t.Fatalf("with all rights: %v", err)
	}
	taken := 0
	for _, role := range roles {
		for i := range role.rights {
			taken++
			t.Run(role.describe(i), func(t *testing.T) {
				c.set(t, role, slices.Delete(slices.Clone(role.rights), i, i+1))
				defer c.set(t, role, role.rights)
				if role.rights[i].Verbs[0] == "list" {
					// This server streams lists as watches. The right is needed with servers that do not.
					c.env = []string{"KUBE_FEATURE_WatchListClient=false"}
					defer func() { c.env = nil }()
				}
				c.awaitReview(t, role, i, forbidden)
				if err := p.run(t); err == nil {
					t.Error("nothing goes wrong without it, so config/ need not grant it")
				} else {
					t.Log(err)
				}
			})
			c.awaitReview(t, role, i, allowed)
		}
	}
	if taken < 20 {
		t.Errorf("the operator's account has %d rights in %v, which can't be all", taken, roles)
	}
	if err := p.run(t); err != nil {
		t.Errorf("with all rights again: %v", err)
	}
}

// role is a Role or ClusterRole that is bound to the operator's account.
type role struct {
	kind, namespace, name string
	rights                []rbacv1.PolicyRule // each grants one verb on one resource
}

// describe names a right.
func (r *role) describe(i int) string {
	rule := r.rights[i]
	what := strings.Join(rule.Resources, "") + strings.Join(rule.NonResourceURLs, "")
	if len(rule.APIGroups) > 0 && rule.APIGroups[0] != "" {
		what += "." + rule.APIGroups[0]
	}
	return fmt.Sprintf("%s/%s/%s", r.name, rule.Verbs[0], what)
}

// roles returns the roles of the operator's account.
func (c *cluster) roles(t *testing.T) (found []*role) {
	t.Helper()
	var bindings rbacv1.RoleBindingList
	var clusterBindings rbacv1.ClusterRoleBindingList
	must(t, c.api.List(t.Context(), &bindings))
	must(t, c.api.List(t.Context(), &clusterBindings))
	isIt := func(s rbacv1.Subject) bool { return s.Namespace == namespace && s.Name == accountOf }
	for i := range bindings.Items {
		if b := &bindings.Items[i]; slices.ContainsFunc(b.Subjects, isIt) {
			found = append(found, &role{kind: b.RoleRef.Kind, namespace: b.Namespace, name: b.RoleRef.Name})
		}
	}
	for i := range clusterBindings.Items {
		if b := &clusterBindings.Items[i]; slices.ContainsFunc(b.Subjects, isIt) {
			found = append(found, &role{kind: b.RoleRef.Kind, name: b.RoleRef.Name})
		}
	}
	for _, r := range found {
		_, rules := c.role(t, r)
		for _, rule := range *rules {
			r.rights = append(r.rights, singles(rule)...)
		}
	}
	return found
}

// role returns the object of a role, and a pointer to its rules.
func (c *cluster) role(t *testing.T, r *role) (client.Object, *[]rbacv1.PolicyRule) {
	t.Helper()
	var obj client.Object
	var rules *[]rbacv1.PolicyRule
	switch r.kind {
	case "Role":
		got := &rbacv1.Role{}
		obj, rules = got, &got.Rules
	default:
		got := &rbacv1.ClusterRole{}
		obj, rules = got, &got.Rules
	}
	key := client.ObjectKey{Name: r.name}
	if r.kind == "Role" {
		key.Namespace = r.namespace
	}
	must(t, c.api.Get(t.Context(), key, obj))
	return obj, rules
}

// singles splits a rule into its rights.
func singles(rule rbacv1.PolicyRule) (rights []rbacv1.PolicyRule) {
	for _, verb := range rule.Verbs {
		for _, url := range rule.NonResourceURLs {
			rights = append(rights, rbacv1.PolicyRule{Verbs: []string{verb}, NonResourceURLs: []string{url}})
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				right := rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}}
				if len(rule.ResourceNames) == 0 {
					rights = append(rights, right)
				}
				for _, name := range rule.ResourceNames {
					right.ResourceNames = []string{name}
					rights = append(rights, right)
				}
			}
		}
	}
	return rights
}

// set gives the role these rights.
func (c *cluster) set(t *testing.T, r *role, rights []rbacv1.PolicyRule) {
	t.Helper()
	obj, rules := c.role(t, r)
	*rules = rights
	must(t, c.api.Update(context.Background(), obj))
}

// verdict is the API server's answer to the question whether the account may do something.
type verdict string

const (
	allowed   verdict = "allowed"
	forbidden verdict = "forbidden"
)

// awaitReview waits until the API server gives the expected answer about a right of the
// account.
func (c *cluster) awaitReview(t *testing.T, r *role, i int, want verdict) {
	t.Helper()
	rule := r.rights[i]
	review := authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: account, Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
	}}
	if len(rule.NonResourceURLs) > 0 {
		review.Spec.NonResourceAttributes = &authorizationv1.NonResourceAttributes{Path: rule.NonResourceURLs[0], Verb: rule.Verbs[0]}
	} else {
		resource, sub, _ := strings.Cut(rule.Resources[0], "/")
		review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
			Namespace: cmp.Or(r.namespace, land), Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: sub,
			Name: strings.Join(rule.ResourceNames, ""),
		}
	}
	await.Within(t, patience, r.describe(i)+" to be "+string(want), func() error {
		asked := review.DeepCopy()
		if err := c.api.Create(t.Context(), asked); err != nil {
			return err
		}
		if asked.Status.Allowed != (want == allowed) {
			return fmt.Errorf("it is not: %s", asked.Status.Reason)
		}
		return nil
	})
}

// account is the name of the operator's account.
const account = "system:serviceaccount:" + namespace + ":sample-operator-controller-manager"

// auditPolicy makes the API server log the operator's requests.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["` + account + `"]
- level: None
`

// audit is the API server's audit log.
type audit struct {
	policy, log string
	t           *testing.T
}

func newAudit(t *testing.T) *audit {
	t.Helper()
	folder := t.TempDir()
	a := &audit{policy: filepath.Join(folder, "policy.yaml"), log: filepath.Join(folder, "audit.log"), t: t}
	must(t, os.WriteFile(a.policy, []byte(auditPolicy), 0o600))
	return a
}

// flags returns the flags for the API server.
func (a *audit) flags() []string {
	return []string{"--audit-policy-file=" + a.policy, "--audit-log-path=" + a.log, "--audit-log-maxsize=2000"}
}

// call is a request with an answer, or with the beginning of one.
type call struct {
	Verb      string
	ObjectRef struct {
		APIGroup, Resource, Subresource, Namespace, Name string
	}
	RequestURI     string
	ResponseStatus struct {
		Code   int
		Reason string
	}
	RequestReceivedTimestamp time.Time
}

func (c *call) String() string {
	resource := c.ObjectRef.Resource
	if c.ObjectRef.Subresource != "" {
		resource += "/" + c.ObjectRef.Subresource
	}
	return fmt.Sprintf("%s %s %s/%s: %d", c.Verb, resource, c.ObjectRef.Namespace, c.ObjectRef.Name, c.ResponseStatus.Code)
}

// refused reports whether RBAC did not allow the call. It looks at the answer, because there
// may be a second check: if an applied object does not exist, the API server first allows the
// patch, and then checks whether the account may create the object.
func (c *call) refused() bool { return c.ResponseStatus.Code == http.StatusForbidden }

// writes reports whether the call may have changed an object other than the leader's lease.
func (c *call) writes() bool {
	switch c.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
	default:
		return false
	}
	switch c.ObjectRef.Resource {
	case "leases", "tokenreviews", "subjectaccessreviews":
		return false
	default:
		return true
	}
}

// since returns the calls after a mark, and the next mark.
func (a *audit) since(mark int64) (calls []call, next int64) {
	a.t.Helper()
	file, err := os.Open(a.log)
	if os.IsNotExist(err) {
		return nil, mark // there was no request yet
	}
	must(a.t, err)
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(mark, io.SeekStart); err != nil {
		a.t.Fatal(err)
	}
	lines := bufio.NewReaderSize(file, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return calls, mark // an incomplete line is read the next time
		}
		mark += int64(len(line))
		var c call
		if err := json.Unmarshal(line, &c); err != nil {
			a.t.Fatalf("read the audit log: %v: %s", err, line)
		}
		calls = append(calls, c)
	}
}

// refusals returns the calls that RBAC did not allow.
func refusals(calls []call) (refused []string) {
	for i := range calls {
		if calls[i].refused() {
			refused = append(refused, calls[i].String())
		}
	}
	return refused
}
