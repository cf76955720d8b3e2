package main

import (
	"context"
	"fmt"
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
	c.count()
	return nil
}

// count shows how much work all of it was.
func (c *cluster) count() {
	c.out.title("In numbers")
	for _, r := range results(c.journal.totals()) {
		c.out.fact(r[0], r[1])
	}
}

// results returns the lines about the operator's calls, each with its name.
func results(t *totals) [][2]string {
	return [][2]string{
		{"calls", fmt.Sprintf("%d: %d wrote %s, %d nothing but a status at most", t.calls, t.wrote, counted(t.objects, "object"), t.calls-t.wrote)},
		{"steps", fmt.Sprintf("%d of %d ran; for the others no change gave a reason", t.ran, t.could())},
		{"duration", fmt.Sprintf("the longest call took %v", t.longest)},
	}
}
