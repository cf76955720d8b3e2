package sampleoperator

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

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
