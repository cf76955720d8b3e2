package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// show starts the operator, tells the story, and stays until the end that the settings name.
func (c *cluster) show(ctx context.Context) error {
	c.out.title("Starting the sample operator as " + operatorNamespace + "/" + operatorAccount)
	group := lifecycle.New(ctx)
	group.Go("operator", c.runOperator)
	group.Go("story", c.tell)
	return group.Wait()
}

// tell waits for the operator, and then tells the story.
func (c *cluster) tell(ctx context.Context) error {
	start := time.Now()
	if err := c.await(ctx, c.serves); err != nil {
		return fmt.Errorf("wait for the operator: %w", err)
	}
	c.out.success("the operator serves", time.Since(start))
	c.explain()
	if err := c.tellAll(ctx); err != nil || c.once {
		return err
	}
	c.out.title("Now it is your turn: whatever you change shows here. Ctrl-C ends it all")
	c.explain()
	c.journal.begin(nil)
	<-ctx.Done()
	return nil
}

// tellAll tells all chapters, and shows the summary.
func (c *cluster) tellAll(ctx context.Context) error {
	for _, chapter := range story {
		if err := c.play(ctx, chapter); err != nil {
			return fmt.Errorf("%s: %w", strings.ToLower(chapter.title), err)
		}
	}
	return c.sum(ctx)
}

// sum shows what there is at the end.
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

// serves returns an error until the operator can be used: it has listed everything, and its
// webhooks answer.
func (c *cluster) serves(ctx context.Context) error {
	if !c.working.Load() {
		return errors.New("the operator has not listed everything")
	}
	_, err := c.run(ctx, "create", "--dry-run=server", "--namespace=default", "--filename=config/samples/web_v1alpha1_site.yaml")
	return err
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
	for _, state := range it.until {
		if err := c.await(ctx, func(ctx context.Context) error {
			_, err := c.run(ctx, state...)
			return err
		}); err != nil {
			return err
		}
	}
	took := time.Since(start)
	if err := c.await(ctx, c.told); err != nil {
		return err
	}
	c.out.success(it.then, took)
	return nil
}

// told returns an error until the operator has logged a reconcile for each clue of the chapter,
// and then nothing more for a while.
func (c *cluster) told(context.Context) error {
	if clue, missing := c.journal.missing(); missing {
		return fmt.Errorf("the operator has not told of a reconcile like %+v", clue)
	}
	if c.journal.quiet() < rest {
		return errors.New("the operator does not come to rest")
	}
	return nil
}

// rest is how long nothing happens before the next chapter, so that each line belongs to one
// chapter. It also gives users time to read.
const rest = time.Second

// await calls ask until it returns no error. After a while it gives up with the last error.
func (c *cluster) await(ctx context.Context, ask func(context.Context) error) error {
	var complaint error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err := ask(ctx)
		if ctx.Err() == nil { // otherwise the error is only about the context
			complaint = err
		}
		return err == nil, nil
	})
	if err != nil {
		return errors.Join(err, complaint)
	}
	return nil
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
