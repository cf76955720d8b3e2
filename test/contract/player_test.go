package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// usually is how long a test reads from a watch.
const usually = 1500 * time.Millisecond

const (
	// few is how many writes of somebody else come before each event.
	few = 10
	// many is more writes than an API server makes by itself during a script.
	many = 300
)

// object is an object of a server.
type object = metav1.PartialObjectMetadata

// server is a server to play scripts on, in one namespace.
type server interface {
	put(ctx context.Context, o *object) (version string, err error)
	remove(ctx context.Context, name string) (version string, err error)
	others(ctx context.Context, writes int) error // to an object outside the script
	list(ctx context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error)
	watch(ctx context.Context, o metav1.ListOptions) (stream, error)
}

// stream is an open watch.
type stream interface {
	Next(ctx context.Context) (apiwatch.Event, error) // io.EOF at its end
	Close()
}

// player plays a script on a server.
type player struct {
	t      *testing.T
	on     server
	writes names
	next   string // continue token of the last list
	rest   string // and the one of the last error
	lines  []string
	// heard is how many lines each watch has brought, in the order of the script. A player that hopes to hear as
	// much as another has heard waits for it patiently.
	heard, hopes []int
}

func (p *player) say(format string, args ...any) {
	p.lines = append(p.lines, fmt.Sprintf(format, args...))
}

func (p *player) playAll(ctx context.Context, steps []step) {
	for _, one := range steps {
		p.play(ctx, one)
	}
}

func (p *player) play(ctx context.Context, one step) {
	switch s := one.(type) {
	case put:
		o := &object{ObjectMeta: metav1.ObjectMeta{Name: s.name, Labels: map[string]string{"write": p.writes.upcoming()}}}
		if s.label != "" {
			o.Labels[s.label] = "yes"
		}
		p.wrote(p.on.put(ctx, o))
	case remove:
		p.wrote(p.on.remove(ctx, s.name))
	case crowd:
		if err := p.on.others(ctx, s.writes); err != nil {
			p.t.Errorf("write something else: %v", err)
		}
	case list:
		p.list(ctx, request(s))
	case watch:
		p.watch(ctx, s)
	case pause:
		time.Sleep(time.Duration(s))
	case together:
		p.together(ctx, s)
	default:
		panic(fmt.Sprintf("BUG: %T is not a step", one))
	}
}

func (p *player) wrote(version string, err error) {
	if err != nil {
		p.t.Errorf("write %s: %v", p.writes.upcoming(), err)
	}
	p.writes.add(version)
}

func (p *player) together(ctx context.Context, steps []step) {
	var all sync.WaitGroup
	parts := make([]*player, len(steps))
	for i, one := range steps {
		part := &player{t: p.t, on: p.on, writes: p.writes, next: p.next, rest: p.rest}
		if n := watches(one); len(p.hopes) >= n {
			part.hopes, p.hopes = p.hopes[:n], p.hopes[n:]
		}
		parts[i] = part
		all.Go(func() { part.play(ctx, one) })
	}
	all.Wait()
	for _, part := range parts {
		p.lines, p.heard = append(p.lines, part.lines...), append(p.heard, part.heard...)
	}
}

func (p *player) options(r request) metav1.ListOptions {
	o := metav1.ListOptions{
		ResourceVersion: p.writes.version(r.version), ResourceVersionMatch: r.match, Limit: r.limit, Continue: r.from,
		SendInitialEvents: r.initial, AllowWatchBookmarks: r.bookmarks,
	}
	switch r.from {
	case "next":
		o.Continue = p.next
	case "rest":
		o.Continue = p.rest
	}
	if r.timeout != 0 {
		o.TimeoutSeconds = &r.timeout
	}
	return o
}

func (p *player) list(ctx context.Context, r request) {
	p.say("list %v", r)
	l, err := p.on.list(ctx, p.options(r))
	if err != nil {
		p.say("  %s", p.refusal(err))
		return
	}
	var items []string
	for i := range l.Items {
		items = append(items, p.describe(&l.Items[i]))
	}
	more := ""
	if l.Continue != "" {
		more = ", to be continued"
	}
	if l.RemainingItemCount != nil {
		more += fmt.Sprintf(", %d to come", *l.RemainingItemCount)
	}
	p.next = l.Continue
	p.say("  at %s%s: %s", p.writes.of(l.ResourceVersion), more, strings.Join(items, " "))
}

func (p *player) watch(ctx context.Context, w watch) {
	p.say("watch %v", w.request)
	at, hope := len(p.heard), 0
	p.heard = append(p.heard, 0)
	if len(p.hopes) > 0 {
		hope, p.hopes = p.hopes[0], p.hopes[1:]
	}
	st, err := p.on.watch(ctx, p.options(w.request))
	if err != nil {
		p.say("  %s", p.refusal(err))
		return
	}
	defer st.Close()
	p.playAll(ctx, w.then)
	open := w.open
	if open == 0 {
		open = usually + time.Duration(w.timeout)*time.Second
	}
	before := len(p.lines)
	defer func() { p.heard[at] = len(p.lines) - before }()
	brief, cancel := context.WithTimeout(ctx, open)
	defer cancel()
	patient, cancel := context.WithTimeout(ctx, await.Patience)
	defer cancel()
	for marked := ""; ; {
		until := brief
		if len(p.lines)-before < hope {
			until = patient
		}
		e, err := st.Next(until)
		switch {
		case errors.Is(err, io.EOF):
			p.say("  end")
			return
		case err != nil:
			return
		}
		marked = p.hear(e, marked)
	}
}

// hear notes an event of a watch. It returns the version of the last bookmark.
func (p *player) hear(e apiwatch.Event, marked string) string {
	switch o := e.Object.(type) {
	case *metav1.Status:
		p.say("  %s %s", e.Type, p.refusal(&apierrors.StatusError{ErrStatus: *o}))
	case *object:
		if e.Type != apiwatch.Bookmark {
			p.say("  %s %s", e.Type, p.describe(o))
			return marked
		}
		at, final := p.writes.of(o.ResourceVersion), o.Annotations[metav1.InitialEventsAnnotationKey]
		if at != marked || final != "" {
			p.say("  %s %s %s", e.Type, at, final)
		}
		return at
	default:
		p.say("  %s %T", e.Type, o)
	}
	return marked
}

// describe says which write made an object. The object has the version of that write, unless
// it was deleted later.
func (p *player) describe(o *object) string {
	write := o.Labels["write"]
	if at := p.writes.of(o.ResourceVersion); at != write {
		write += " as of " + at
	}
	return o.Name + "=" + write
}

// refusal has everything in an error that a program may look at.
func (p *player) refusal(err error) string {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return "an error that is not an answer: " + err.Error()
	}
	said := answer.Status()
	text := strconv.Itoa(int(said.Code)) + " " + string(said.Reason)
	if d := said.Details; d != nil {
		for _, cause := range d.Causes {
			text += fmt.Sprintf(", %s of %q", cause.Type, cause.Field)
		}
		if d.RetryAfterSeconds != 0 {
			text += fmt.Sprintf(", again in %ds", d.RetryAfterSeconds)
		}
	}
	if said.Continue != "" {
		p.rest = said.Continue
		text += ", with a token"
	}
	return text
}
