package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// sum shows the summary at the end.
func (c *cluster) sum(ctx context.Context) error {
	c.out.title("All of it happened as told")
	for _, args := range [][]string{
		{"get", "sites", "--all-namespaces", "--output=wide"},
		{"get", "events", "--namespace=demo", "--field-selector=involvedObject.kind=Site", "--sort-by=.metadata.creationTimestamp",
			"--output=custom-columns=SITE:.involvedObject.name,REASON:.reason,MESSAGE:.message"},
	} {
		c.out.command("kubectl " + quote(args))
		said, err := c.run(ctx, args...)
		if err != nil {
			return err
		}
		c.out.said(said)
	}
	return c.count(ctx)
}

// count shows how much work all of it was, in numbers from the operator.
func (c *cluster) count(ctx context.Context) error {
	metrics, err := get(ctx, "http://"+c.metrics+"/metrics")
	if err != nil {
		return fmt.Errorf("read the operator's metrics: %w", err)
	}
	c.out.title("In numbers")
	for _, r := range results(c.journal.totals(), readMetrics(metrics)) {
		c.out.fact(r.name, r.text)
	}
	return nil
}

type result struct{ name, text string }

// results returns the lines about the operator's calls, and about its metrics.
func results(t *totals, m measurements) []result {
	all := []result{
		{"calls", fmt.Sprintf("%d: %d wrote %s, %d nothing but a status at most", t.calls, t.wrote, counted(t.objects, "object"), t.calls-t.wrote)},
		{"steps", fmt.Sprintf("%d of %d ran; for the others no change gave a reason", t.ran, t.could())},
	}
	if wait, known := m.mean("workqueue_queue_duration_seconds"); known {
		all = append(all, result{"lag", fmt.Sprintf("a Site waited in the queue for %v on average, before a call was told what had changed", wait)})
	}
	if took, known := m.mean("controller_runtime_reconcile_time_seconds"); known {
		all = append(all, result{"duration", fmt.Sprintf("a call took %v on average, the longest %v", took, t.longest)})
	}
	if failed, known := m["controller_runtime_reconcile_errors_total"]; known {
		all = append(all, result{"failures", counted(int(failed), "call") + " ended with an error"})
	}
	return all
}

// measurements are metrics of the operator, by name, and summed over their labels.
type measurements map[string]float64

// mean is the mean of a histogram.
func (m measurements) mean(name string) (mean time.Duration, known bool) {
	sum, count := m[name+"_sum"], m[name+"_count"]
	if count == 0 {
		return 0, false
	}
	return time.Duration(sum / count * float64(time.Second)).Round(10 * time.Microsecond), true
}

// readMetrics reads the output of a metrics endpoint.
func readMetrics(text string) measurements {
	m := measurements{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(line, "#") {
			continue
		}
		// The name is before the labels. The labels' values may contain spaces.
		name, _, _ := strings.Cut(fields[0], "{")
		if value, err := strconv.ParseFloat(fields[len(fields)-1], 64); err == nil {
			m[name] += value
		}
	}
	return m
}

// get returns what a server on this machine answers.
func get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("get %s: %s", url, response.Status)
	}
	return string(text), err
}
