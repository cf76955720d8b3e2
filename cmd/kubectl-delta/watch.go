package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// maxPause is the longest time between two attempts to connect.
const maxPause = 30 * time.Second

// watcher follows the deltas, through one stream after the other.
type watcher struct {
	*program
	filters url.Values
	diff    bool
	after   string // the id of the last delta
	streams int    // that were opened so far
	broken  bool   // a delta could not be shown, and it would come again
}

func (p *program) watch() *cobra.Command {
	var name, op, manager string
	var diff bool
	c := &cobra.Command{
		Use:   "watch [KIND]",
		Short: "Show what happens, as it happens",
		Long: `Show what happens, as it happens, a line for each delta. It shows all namespaces, unless
you name one with -n. When the connection breaks it connects again, to the Pod that leads then.
It writes to standard error what happens to the connection.`,
		Example: "  kubectl delta watch deployment -n demo --op Updated --diff",
		Args:    takes(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			filters := url.Values{"kind": args}
			for key, value := range map[string]string{"namespace": p.options.Namespace, "name": name, "op": op, "manager": manager} {
				if value != "" {
					filters.Set(key, value)
				}
			}
			return (&watcher{program: p, filters: filters, diff: diff}).run(c.Context())
		},
	}
	c.Flags().StringVar(&name, "name", "", "only objects with this name")
	c.Flags().StringVar(&op, "op", "", "only Added, Updated, Deleted, Sync or OutOfScope")
	c.Flags().StringVar(&manager, "manager", "", "only what this field manager wrote")
	c.Flags().BoolVar(&diff, "diff", false, "show what an update changed")
	return c
}

// run follows until ctx ends, or until the inspector will never let it.
func (w *watcher) run(ctx context.Context) error {
	pause := w.pause
	for {
		before := w.streams
		err := w.once(ctx)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the user has seen enough, and that is how the stream ended
		case w.streams == 0, w.broken, ask.Lasting(err) && !ask.Missing(err): // an operator that has started again may not have the kind yet
			return err
		}
		w.keeper.Drop()
		if w.streams > before {
			pause = w.pause
		}
		w.notice(fmt.Sprintf("%v; connecting again in %s", err, pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
		pause = min(2*pause, maxPause)
	}
}

// once follows one stream to its end.
func (w *watcher) once(ctx context.Context) error {
	c, err := w.keeper.Connection(ctx)
	if err != nil {
		return err
	}
	for event, err := range c.Stream(ctx, w.filters, w.after) {
		if err != nil {
			return err
		}
		if event.Name == ask.Opened {
			w.opened(c.Where)
			continue
		}
		err = w.event(event)
		w.after, w.broken = cmp.Or(event.ID, w.after), err != nil
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) opened(where string) {
	w.streams++
	switch {
	case w.streams == 1:
		w.notice("watching " + where)
	case w.after == "":
		w.notice("connected again, to " + where + "; what happened in between may be missing")
	default:
		w.notice("connected again, to " + where + ", where it broke off")
	}
}

// notice says something about the connection.
func (w *watcher) notice(text string) { w.errOut.Line("# " + text) }

// event shows an event.
func (w *watcher) event(event ask.Event) error {
	switch event.Name {
	case "lost":
		return w.lost(event.Data)
	case "delta":
	default:
		return nil // of a later version
	}
	var encoded show.Escaped
	var err error
	switch w.output {
	case "json":
		encoded, err = show.JSONLine(event.Data)
	case "yaml":
		encoded, err = show.YAML(event.Data)
		encoded = append([]byte("---\n"), encoded...)
	default:
		return w.line(event.Data)
	}
	if err == nil {
		w.out.Raw(encoded)
	}
	return cmp.Or(err, w.out.Err())
}

// lost says what the stream does not show.
func (w *watcher) lost(data []byte) error {
	lost, err := ask.Into[v1.Lost](data)
	if err != nil {
		return err
	}
	if lost.Restarted {
		w.notice("this is another process of the operator: it begins with the oldest delta that it remembers")
	}
	if lost.Count > 0 {
		w.notice(show.Count(lost.Count, "delta") + " are missing here: the journal had dropped them before they were read")
	}
	return nil
}

// line shows a delta as text.
func (w *watcher) line(data []byte) error {
	d, err := ask.Into[v1.Delta](data)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s  %-10s  %s %s", d.Seen.Local().Format("15:04:05.000"), d.Op, d.Kind, full(d.Namespace, d.Name))
	if d.Manager != "" {
		text += " by " + d.Manager
	}
	text += remarks(&d)
	if changed := paths(&d); changed != "" && !w.diff {
		text += ": " + changed
	}
	w.out.Line(text)
	if w.diff {
		w.showEdits("              ", &d)
	}
	return w.out.Err()
}
