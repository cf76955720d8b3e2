package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// show brings in the operator, tells the story, and stays until end.
func (c *cluster) show(ctx context.Context, end ending) error {
	if err := c.install(ctx); err != nil {
		return err
	}
	if err := c.buildOperator(ctx); err != nil {
		return err
	}
	group := lifecycle.New(ctx)
	group.Go("operator", c.runOperator)
	group.Go("story", func(ctx context.Context) error { return c.tell(ctx, end) })
	return group.Wait()
}

// tell waits for the operator and tells the story.
func (c *cluster) tell(ctx context.Context, end ending) error {
	start := time.Now()
	if err := c.await(ctx, c.serves); err != nil {
		return fmt.Errorf("wait for the operator: %w", err)
	}
	c.out.success("the operator serves", time.Since(start))
	c.explain()
	for _, chapter := range story {
		if err := c.play(ctx, chapter); err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(chapter.title), err)
		}
	}
	if err := c.sum(ctx); err != nil || end == afterStory {
		return err
	}
	c.out.title("Now it is your turn: whatever you change shows here. Ctrl-C ends it all")
	c.explain()
	<-ctx.Done()
	return nil
}

// explain says where everything is.
func (c *cluster) explain() {
	c.out.fact("API server", c.plane.Config().Host)
	c.out.fact("metrics", "http://"+c.metrics+"/metrics")
	c.out.fact("health", "http://"+c.health+"/readyz")
	c.out.fact("webhooks", "https://"+c.webhooks)
	c.out.fact("kubeconfig", c.config)
	c.out.fact("try", "export KUBECONFIG="+c.config)
	for _, args := range []string{
		"get sites --all-namespaces --output=wide",
		"edit sites copycat --namespace=demo",
		"delete deployments copycat --namespace=demo",
		"get events --all-namespaces --field-selector=involvedObject.kind=Site",
	} {
		c.out.fact("", c.kubectl+" "+args)
	}
}

// serves complains until the operator can be used: its webhooks answer, and who is let
// through by them is worked on.
func (c *cluster) serves(ctx context.Context, api client.Client) error {
	if err := c.healthy(ctx); err != nil {
		return err
	}
	if !c.working.Load() {
		return errors.New("the operator has not listed everything")
	}
	probe := &webv1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "probe"}}
	if err := api.Create(ctx, probe, client.DryRunAll); err != nil {
		return fmt.Errorf("send a Site through the webhooks: %w", err)
	}
	return nil
}

func (c *cluster) healthy(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.health+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask the operator whether it is ready: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask the operator whether it is ready: %s", response.Status)
	}
	return nil
}

// play makes the change, and waits until all has come of it that should.
func (c *cluster) play(ctx context.Context, it chapter) error {
	c.out.title(it.title)
	c.out.command("kubectl " + quote(it.kubectl))
	c.journal.begin()
	start := time.Now()
	said, err := c.run(ctx, it.kubectl...)
	if err != nil {
		return err
	}
	c.out.said(said)
	if err := c.await(ctx, it.until); err != nil {
		return err
	}
	took := time.Since(start)
	if err := c.await(ctx, c.told(it.clues)); err != nil {
		return err
	}
	c.out.success(it.then, took)
	return nil
}

// told complains until the operator has told of everything that there is a clue to,
// and has come to rest.
func (c *cluster) told(clues []clue) check {
	return func(context.Context, client.Client) error {
		for _, clue := range clues {
			if !c.journal.has(clue) {
				return fmt.Errorf("the operator has not told of %s", clue)
			}
		}
		if c.journal.quiet() < rest {
			return errors.New("the operator does not come to rest")
		}
		return nil
	}
}

// rest is how long nothing happens before the next chapter, so that what is shown
// belongs to one. It is also time to read.
const rest = time.Second

// await asks until there is no complaint, and gives up after a while with the last.
func (c *cluster) await(ctx context.Context, content check) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	retry := time.NewTicker(100 * time.Millisecond)
	defer retry.Stop()
	var complaint error
	for {
		switch err := content(ctx, c.client); {
		case err == nil:
			return nil
		case ctx.Err() == nil: // else it complains of just that
			complaint = err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), complaint)
		case <-retry.C:
		}
	}
}

// sum shows what there is in the end.
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
	return nil
}

// quote writes arguments as a shell would have to read them.
func quote(args []string) string {
	var quoted []string
	for _, arg := range args {
		if strings.ContainsAny(arg, `{}[]<>()"?*$ `) {
			arg = "'" + arg + "'"
		}
		quoted = append(quoted, arg)
	}
	return strings.Join(quoted, " ")
}
