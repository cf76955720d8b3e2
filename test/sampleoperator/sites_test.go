package sampleoperator

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// seed is the seed of the game.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("SEED: %v", err)
	}
	return n
}

// TestSitesSurvive plays with 200 Sites. Meanwhile it kills the operator, lets the other
// replica take over, and stops the API server for a while.
func TestSitesSurvive(t *testing.T) {
	if path := os.Getenv("E2E_KUBECONFIG"); path != "" {
		surviveThere(t, path)
		return
	}
	c := newCluster(t, 2, controlplane.Options{Workloads: true})
	var replicas []*replica
	var metrics []string
	for n := range 2 {
		metrics = append(metrics, controlplane.FreeAddressForTest(t))
		replicas = append(replicas, c.replica(t, n, "--metrics-secure=false", "--metrics-bind-address="+metrics[n]))
	}
	leader := func() int { return whoLeads(t, metrics) }
	awaitWebhooks(t, c.api)
	g := newGame(t, c.api, seed(t), pretended)
	steps := g.rules.steps
	disturb := map[int]func(){
		steps / 6: func() { replicas[leader()].kill() },
		steps / 3: func() { // the other replica takes over
			n := leader()
			replicas[n].stop(t)
			if now := leader(); now == n {
				t.Errorf("replica %d leads although it is stopped", n)
			}
			replicas[n].start()
		},
		steps / 2:     func() { c.restartAPIServer(t) },
		2 * steps / 3: func() { replicas[0].kill(); replicas[1].kill() },
		5 * steps / 6: func() { replicas[leader()].kill(); c.restartAPIServer(t) },
	}
	for i := range steps {
		if happen, ok := disturb[i]; ok {
			happen()
		}
		g.step()
	}
	begin := time.Now()
	g.settle()
	await.Within(t, patience, "every child to be as its Site says", func() error { return wrong(t.Context(), c.api) })
	t.Logf("SEED=%d: %d edits, %d damages; everything was right %v after the last one; the replicas were started %d and %d times",
		seed(t), g.writes, g.harm, time.Since(begin).Round(time.Second), replicas[0].count(), replicas[1].count())
	c.checkEvents(t, g)
	c.checkQuiet(t)
	g.deleteAll()
	await.Within(t, patience, "everything to be gone", g.leftovers)
	c.checkRights(t)
	for n, r := range replicas {
		if text := r.wrote(); strings.Contains(text, "panic") || strings.Contains(text, "DATA RACE") {
			t.Errorf("replica %d panicked:\n%s", n, text)
		}
	}
}

// surviveThere plays in a cluster in which the operator is deployed.
func surviveThere(t *testing.T, path string) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", path)
	must(t, err)
	api := newClient(t, config)
	awaitWebhooks(t, api)
	g := newGame(t, api, seed(t), actual)
	for i := range g.rules.steps {
		if i%(g.rules.steps/4) == 1 {
			g.do("delete the operator's Pods", func(ctx context.Context) error {
				return api.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(namespace), client.GracePeriodSeconds(0))
			})
		}
		g.step()
	}
	g.settle()
	await.Within(t, patience, "every child to be as its Site says", func() error { return wrong(t.Context(), api) })
	g.deleteAll()
	await.Within(t, patience, "everything to be gone", g.leftovers)
}

var leads = regexp.MustCompile(`(?m)^leader_election_master_status\{.*\} 1$`)

// whoLeads asks the replicas until one of them is the leader.
func whoLeads(t *testing.T, metrics []string) int {
	t.Helper()
	found := -1
	await.Within(t, patience, "a leader", func() error {
		for n, address := range metrics {
			if text, err := get("http://" + address + "/metrics"); err == nil && leads.MatchString(text) {
				found = n
				return nil
			}
		}
		return errors.New("nobody leads")
	})
	return found
}

func get(url string) (string, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url) //nolint:noctx // it has a timeout
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// checkEvents fails if there are far more Events than changes, or none.
func (c *cluster) checkEvents(t *testing.T, g *game) {
	t.Helper()
	calls, _ := c.audit.since(0)
	written := 0
	for i := range calls {
		if calls[i].ObjectRef.Resource == "events" && calls[i].ResponseStatus.Code < 300 {
			written++
		}
	}
	// An edit causes Events of its Site, and of Sites that wait for its hostname or share a
	// Secret. But quick changes share one Event.
	most := 2 * (g.writes + g.harm)
	t.Logf("%d Events were written, and %d were allowed", written, most)
	if written == 0 || written > most {
		t.Errorf("%d Events were written for %d edits and %d damages, want 1 to %d", written, g.writes, g.harm, most)
	}
}

// quiet is how long the operator must write nothing when there is nothing to do.
const quiet = 5 * time.Second

// checkQuiet fails if the operator still writes.
func (c *cluster) checkQuiet(t *testing.T) {
	t.Helper()
	time.Sleep(2 * time.Second) // Events come a little later
	_, mark := c.audit.since(0)
	time.Sleep(quiet)
	calls, _ := c.audit.since(mark)
	for i := range calls {
		if calls[i].writes() {
			t.Errorf("the operator writes although there is nothing to do: %v", &calls[i])
		}
	}
}

// checkRights fails if config/ does not grant everything that the operator asked for.
func (c *cluster) checkRights(t *testing.T) {
	t.Helper()
	calls, _ := c.audit.since(0)
	if len(calls) == 0 {
		t.Error("the audit log has no request of the operator")
	}
	for i := range calls {
		if calls[i].refused() && !c.inOutage(calls[i].RequestReceivedTimestamp) {
			t.Errorf("the operator was refused: %v", &calls[i])
		}
	}
}
