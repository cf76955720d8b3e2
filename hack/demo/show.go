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

// show starts the operator, tells the story, and stays until end is called.
func (c *cluster) show(ctx context.Context, end ending, record *recording) error {
	c.out.title("Starting the sample operator as " + operatorNamespace + "/" + operatorAccount)
	group := lifecycle.New(ctx)
	group.Go("operator", c.runOperator)
	group.Go("workloads", func(ctx context.Context) error {
		if err := c.complete(ctx); err != nil {
			return err
		}
		<-ctx.Done() // the group would end with it
		return nil
	})
	group.Go("story", func(ctx context.Context) error { return c.tell(ctx, end, record) })
	return group.Wait()
}

// tell waits for the operator, and then tells the story.
func (c *cluster) tell(ctx context.Context, end ending, record *recording) error {
	start := time.Now()
	if err := c.await(ctx, c.serves); err != nil {
		return fmt.Errorf("wait for the operator: %w", err)
	}
	c.out.success("the operator serves", time.Since(start))
	c.explain()
	if err := c.tellAll(ctx, record); err != nil || end == afterStory {
		return err
	}
	c.out.title("Now it is your turn: whatever you change shows here. Ctrl-C ends it all")
	c.explain()
	c.watch(ctx)
	return nil
}

// tellAll tells all chapters, and shows the summary. Nothing else is recorded, because
// addresses and paths are different on each machine.
func (c *cluster) tellAll(ctx context.Context, record *recording) error {
	c.out.recordTo(record)
	defer c.out.recordTo(nil)
	for _, chapter := range story {
		if err := c.play(ctx, chapter); err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(chapter.title), err)
		}
	}
	return c.sum(ctx)
}

// watch shows the effects of the user's own changes, until ctx ends.
func (c *cluster) watch(ctx context.Context) {
	c.journal.begin(nil)
	ticker := time.NewTicker(rest / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if c.journal.quiet() > rest {
				c.out.flush()
			}
		}
	}
}

// explain shows the addresses and paths of everything.
func (c *cluster) explain() {
	c.out.fact("API server", c.plane.Config().Host)
	c.out.fact("metrics", "http://"+c.metrics+"/metrics")
	c.out.fact("inspector", "http://"+c.inspector+"/delta/")
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

// serves returns an error until the operator can be used: its webhooks answer, and it has
// listed everything.
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

// play makes the change of a chapter, and waits for its effects.
func (c *cluster) play(ctx context.Context, it chapter) error {
	c.out.title(it.title)
	c.out.command("kubectl " + quote(it.kubectl))
	c.journal.begin(it.clues)
	start := time.Now()
	said, err := c.run(ctx, it.kubectl...)
	if err != nil {
		return err
	}
	c.out.said(said)
	if err := c.awaitWhole(ctx); err != nil {
		return err
	}
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

// told returns an error until the operator has logged a reconcile for each clue, and then
// nothing more for a while.
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

// rest is how long nothing happens before the next chapter, so that each line belongs to one
// chapter. It also gives users time to read.
const rest = time.Second

// await calls ask until it returns no error. After a while it gives up with the last error.
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
		case ctx.Err() == nil: // otherwise the error is only about the context
			complaint = err
		}
		if c.out.quiet() > beat && complaint != nil {
			c.out.note("still waiting: " + shorten(complaint.Error(), 160))
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), complaint)
		case <-retry.C:
		}
	}
}

// quote writes arguments so that a shell reads them correctly.
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
