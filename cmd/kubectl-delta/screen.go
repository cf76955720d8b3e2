package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/show"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// home puts the cursor at the top of a terminal and clears what is there.
const home = "\x1b[H\x1b[2J"

// object is what a line is about; without a name it is about none.
type object struct{ kind, namespace, name string }

// objectOf is the object that changed before a call. The answer about it has the request, too.
func objectOf(r *v1.Reconcile) object {
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind != "" && c.Name != "" {
			return object{c.Kind, c.Namespace, c.Name}
		}
	}
	return object{}
}

// screen is what top draws in a terminal: how the operator is doing or, when the user has gone into an object, why that was reconciled.
type screen struct {
	lines  []object // that can be chosen, as they were drawn last
	chosen int
	inside object // without a name, how the operator is doing
	down   int    // lines of the inside that are above the terminal
}

// row returns what a line begins with, and the mark of the line that is chosen. Only the line of an object can be.
func (s *screen) row(o object) (indent, mark string) {
	if s == nil || o.name == "" {
		return s.indent(), ""
	}
	s.lines = append(s.lines, o)
	if len(s.lines)-1 == s.chosen {
		return "", "> "
	}
	return s.indent(), ""
}

// indent is what other lines of the same table begin with.
func (s *screen) indent() string {
	if s == nil {
		return ""
	}
	return "  "
}

// press does what a key says, and reports whether the user has seen enough.
func (s *screen) press(k key) (enough bool) {
	at := &s.chosen
	if s.inside.name != "" {
		at = &s.down
	}
	switch k {
	case quit:
		return true
	case up:
		*at = max(0, *at-1)
	case down:
		*at++ // a frame sees how far it goes
	case enter:
		if s.inside.name == "" && s.chosen < len(s.lines) {
			s.inside, s.down = s.lines[s.chosen], 0
		}
	case back:
		s.inside = object{}
	case none:
	}
	return false
}

// draw draws a screen again and again until ctx ends or somebody presses q. If the operator is gone for a while, it says so above
// what it drew last.
func (p *program) draw(ctx context.Context, query url.Values) error {
	out := p.out
	p.screen = &screen{}
	defer func() { p.out, p.screen = out, nil }()
	keys, stop := p.keys(ctx)
	defer stop()
	last, pause := "", p.pause
	for {
		frame, err := p.frame(ctx, query)
		switch {
		case ctx.Err() != nil:
			return nil // the user has seen enough
		case err != nil && (last == "" || ask.Lasting(err) && !ask.Missing(err)): // an operator that has started again may not have the controller yet
			return err
		case err != nil:
			p.keeper.Drop()
			frame, pause = frame+last, min(2*pause, maxPause)
		default:
			last, pause = frame, p.pause
		}
		if err := p.put(frame); err != nil {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		case k := <-keys:
			if p.screen.press(k) {
				return nil
			}
		}
	}
}

// put writes a frame. A terminal that passes on each key does not begin a line by itself.
func (p *program) put(frame string) error {
	width, height, _ := p.size()
	text := strings.ReplaceAll(cropped(frame, width, height), "\n", "\r\n")
	if _, err := io.WriteString(p.rawOut, home+text); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}

// frame is what is drawn, or why that is not known.
func (p *program) frame(ctx context.Context, query url.Values) (string, error) {
	var drawn bytes.Buffer
	p.out = show.New(&drawn)
	s := p.screen
	if s.inside.name != "" {
		err := p.showInside(ctx)
		lines := strings.SplitAfter(drawn.String(), "\n")
		s.down = min(s.down, max(0, len(lines)-2))
		return strings.Join(append(lines[:1], lines[1+s.down:]...), ""), err
	}
	s.lines = nil
	p.out.Line("The arrow keys choose a line, Enter shows why its object was reconciled, and q ends.")
	if err := p.showTop(ctx, query); err != nil {
		drawn.Reset()
		p.out.Sentence("", "All below is old: "+err.Error())
		return drawn.String(), err
	}
	if s.chosen >= max(1, len(s.lines)) { // there are fewer than before
		s.chosen = max(0, len(s.lines)-1)
		return p.frame(ctx, query)
	}
	return drawn.String(), nil
}

// showInside says why the object was reconciled that the user has gone into.
func (p *program) showInside(ctx context.Context) error {
	o := p.screen.inside
	p.out.Line("q ends, Backspace goes back, and the arrow keys show more.")
	_, why, err := fetch[v1.Why](ctx, p, "why", url.Values{"kind": {o.kind}, "namespace": {o.namespace}, "name": {o.name}})
	switch {
	case ask.Missing(err):
		p.out.Sentence("", err.Error())
		return nil
	case err != nil:
		p.out.Sentence("", "All below is old: "+err.Error())
		return err
	}
	p.showWhy("", why)
	return p.out.Err()
}

// cropped is the part of a text that a terminal has room for.
func cropped(text string, width, height int) string {
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:min(len(lines), max(1, height-1))]
	for i, line := range lines {
		if runes := []rune(line); len(runes) > width+1 {
			lines[i] = string(runes[:width]) + "\n"
		}
	}
	return strings.Join(lines, "")
}

// keyboard is the terminal's. It has no keys if there is none.
func keyboard() (typed io.Reader, restore func()) {
	in := int(os.Stdin.Fd())
	before, err := term.MakeRaw(in)
	if err != nil {
		return strings.NewReader(""), func() {}
	}
	return os.Stdin, func() { _ = term.Restore(in, before) }
}
