package reflector

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

var updateScenarios = flag.Bool("update", false, "write what happens now to testdata/reflector")

// TestReflectorScenarios plays the scripts in testdata/reflector, one for each
// decision that a Reflector takes. A script is also its own expected outcome:
//
//	# why this must happen                 comment
//	set stream pagesize=2                  settings, see (*script).set
//	> list version=0 limit=500             what the Reflector asks the server
//	< page 5 a@1 b@2                       what the script answers
//	= replace 5 for First: a@1 b@2         what the sink is told
//	! list things: …                       what OnError is told
//	~ BackingOff 800ms                     a wait, in the state that Status shows
//	* kind is disconnected …                       what the log says at its default level, after "set log"
//
// Answers to a list are "page VERSION [continue=TOKEN] [broken] THING…", "fail NAME" and
// "hang"; to a watch "open", "fail NAME" and "hang". An open watch answers
// "added|modified|deleted THING", "bookmark V", "end V" (of the initial events), "fail NAME",
// "unreadable", "after DURATION" and "silence". At the end of the script the context is
// cancelled. Before any answer, "relist" means that somebody asks for a new list, and "after
// DURATION" delays the answer.
func TestReflectorScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/reflector/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = play(t, string(text)) })
			if *updateScenarios {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("%s expects\n%s\nwhat happens is\n%s", file, text, got)
			}
		})
	}
}

// script is a ListWatcher and a Sink that answer from a text, and record what happens.
type script struct {
	t       *testing.T
	stop    context.CancelFunc
	answers []string
	mu      sync.Mutex // guards happens: the log may speak at any time
	happens strings.Builder
	refuse  int  // how many calls of Replace the sink still refuses
	ending  bool // the context ends with the first Replace
	trust   bool // what Replace is told of comparing is logged
	open    int  // watches not closed
	r       *Reflector[faulty.Thing]
}

func play(t *testing.T, text string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &script{t: t, stop: stop}
	var r *Reflector[faulty.Thing]
	opts := Options[faulty.Thing]{
		Horizon:  &Horizon{},
		Kind:     "things",
		Limiter:  NewLimiter(1),
		Settings: informer.Settings{Lists: informer.PagesOnly, Backoff: informer.Backoff{Jitter: -1}},
		OnError:  func(_ context.Context, err error) { s.log("! %v", err) },
		OnSkip:   func(_ context.Context, err error) { s.log("? %v", err) },
		AfterFunc: func(d time.Duration, f func()) func() bool {
			if taken := r.opts.Limiter.Taken(); taken != 0 {
				t.Errorf("waiting for %v with %d turns to list taken", d, taken)
			}
			s.log("~ %v %v", r.Status().State, d)
			return time.AfterFunc(d, f).Stop
		},
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "< "):
			s.answers = append(s.answers, line[2:])
		case strings.HasPrefix(line, "#"), line == "":
			s.log("%s", line)
		case strings.HasPrefix(line, "set "):
			s.log("%s", line)
			s.set(&opts, strings.Fields(line)[1:])
		}
	}
	r = New(s, s, faulty.KeyOf, opts)
	s.r = r
	r.random = func() float64 { return 0 }
	if err := r.Run(ctx); err != nil {
		t.Errorf("Run returned %v", err)
	}
	if taken := opts.Limiter.Taken(); taken != 0 {
		t.Errorf("%d turns to list are still taken", taken)
	}
	if len(s.answers) > 0 {
		t.Errorf("there was no request for the answers %q", s.answers)
	}
	if s.open != 0 {
		t.Errorf("%d watches were not closed", s.open)
	}
	if state := r.Status().State; state != Stopped {
		t.Errorf("state after Run is %v", state)
	}
	return s.happens.String()
}

func (s *script) set(opts *Options[faulty.Thing], settings []string) {
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "stream":
			opts.Lists = informer.StreamFirst
		case "ingest":
			opts.Ingest = func(t faulty.Thing) (faulty.Thing, error) {
				if t.Name == "bad" {
					return faulty.Thing{}, fmt.Errorf("no transform for %v", t)
				}
				return faulty.Thing{Name: strings.ToUpper(t.Name), Version: t.Version}, nil
			}
		case "pagesize":
			_, err := fmt.Sscan(value, &opts.PageSize)
			s.must(err)
		case "refuse":
			_, err := fmt.Sscan(value, &s.refuse)
			s.must(err)
		case "log":
			opts.Logger = s.logger()
		case "trust":
			s.trust = true
		case "end-at-replace":
			s.ending = true
		case "retry-internal":
			d, err := time.ParseDuration(value)
			s.must(err)
			opts.InternalErrorRetry = d
		default:
			s.t.Fatalf("unknown setting %q", setting)
		}
	}
}

// logger records the log. Times are seconds since the script began.
func (s *script) logger() logr.Logger {
	began := time.Now()
	return funcr.New(func(_, line string) { s.log("* %s", line) }, funcr.Options{
		RenderArgsHook: func(args []any) []any {
			for i, arg := range args {
				if at, ok := arg.(time.Time); ok {
					args[i] = at.Sub(began).String()
				}
			}
			return args
		},
	})
}

func (s *script) must(err error) {
	if err != nil {
		s.t.Helper()
		s.t.Fatal(err)
	}
}

func (s *script) log(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.happens, format+"\n", args...)
}

// next returns the next answer. If there is none, it ends the run.
func (s *script) next() (string, []string) {
	if len(s.answers) == 0 {
		s.stop()
		return "hang", nil
	}
	line := s.answers[0]
	s.answers = s.answers[1:]
	s.log("< %s", line)
	words := strings.Fields(line)
	switch words[0] {
	case "relist":
		s.r.RequestList()
		return s.next()
	case "after":
		d, err := time.ParseDuration(words[1])
		s.must(err)
		time.Sleep(d)
		return s.next()
	}
	return words[0], words[1:]
}

func (s *script) List(ctx context.Context, opts metav1.ListOptions) (listwatch.Page[faulty.Thing], error) {
	s.log("> %s", describe("list", opts))
	verb, args := s.next()
	switch verb {
	case "hang":
		<-ctx.Done()
		return listwatch.Page[faulty.Thing]{}, ctx.Err()
	case "fail":
		return listwatch.Page[faulty.Thing]{}, faulty.Answer(args[0])
	case "page":
		page := listwatch.Page[faulty.Thing]{Version: args[0]}
		for _, word := range args[1:] {
			if token, ok := strings.CutPrefix(word, "continue="); ok {
				page.Continue = token
			} else if word == "broken" {
				page.Broken = append(page.Broken, fmt.Errorf("bytes make no sense"))
			} else {
				page.Items = append(page.Items, thingOf(word))
			}
		}
		return page, nil
	}
	s.t.Fatalf("%q is not an answer to a list", verb)
	return listwatch.Page[faulty.Thing]{}, nil
}

func (s *script) Watch(ctx context.Context, opts metav1.ListOptions) (listwatch.Stream[faulty.Thing], error) {
	if !opts.AllowWatchBookmarks || opts.TimeoutSeconds == nil || *opts.TimeoutSeconds < 300 || *opts.TimeoutSeconds > 600 {
		s.t.Errorf("watch without bookmarks or with a strange timeout: %v", opts)
	}
	s.log("> %s", describe("watch", opts))
	verb, args := s.next()
	switch verb {
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "fail":
		return nil, faulty.Answer(args[0])
	case "open":
		s.open++
		return &scriptStream{script: s}, nil
	}
	s.t.Fatalf("%q is not an answer to a watch", verb)
	return nil, nil
}

// scriptStream is a watch of a script.
type scriptStream struct {
	*script
	closed bool
}

func (s *scriptStream) Close() {
	if !s.closed {
		s.closed = true
		s.open--
	}
}

func (s *scriptStream) Next(ctx context.Context) (listwatch.Event[faulty.Thing], error) {
	if status := s.r.Status(); status.State == Following && !status.DegradedSince.IsZero() {
		s.t.Errorf("degraded since %v although a watch is open", status.DegradedSince)
	}
	verb, args := s.next()
	switch verb {
	case "hang", "silence":
		<-ctx.Done()
		return listwatch.Event[faulty.Thing]{}, ctx.Err()
	case "fail":
		return listwatch.Event[faulty.Thing]{}, faulty.Answer(args[0])
	case "unreadable":
		return listwatch.Event[faulty.Thing]{Err: fmt.Errorf("bytes make no sense")}, nil
	case "end", "bookmark":
		return listwatch.Event[faulty.Thing]{Delta: delta.Delta[faulty.Thing]{Version: args[0]}, InitialEnd: verb == "end"}, nil
	}
	op, ok := map[string]delta.Op{"added": delta.Added, "modified": delta.Updated, "deleted": delta.Deleted}[verb]
	if !ok {
		s.t.Fatalf("%q is not an event of a watch", verb)
	}
	obj := thingOf(args[0])
	return listwatch.Event[faulty.Thing]{Delta: delta.Delta[faulty.Thing]{Op: op, New: obj, Version: obj.Version}}, nil
}

func (s *script) Push(d delta.Delta[faulty.Thing], position string) error {
	obj := d.New
	if obj.Name == "" {
		return faulty.ErrNoName
	}
	s.log("= %v %v at %q", d.Op, obj, position)
	return nil
}

func (s *script) Replace(objs []faulty.Thing, r Replacement) error {
	line := fmt.Sprintf("= replace %s for %s:", r.Version, s.r.reason)
	for _, obj := range objs {
		line += " " + obj.String()
	}
	for _, mark := range []struct {
		on   bool
		name string
	}{{r.NewHistory, "new-history"}, {r.Partial, "partial"}, {r.Ingested, "ingested"}, {s.trust && r.Compared, "compared"}} {
		if mark.on {
			line += " (" + mark.name + ")"
		}
	}
	s.log("%s", line)
	if s.ending {
		s.stop()
	}
	if s.refuse > 0 {
		s.refuse--
		return fmt.Errorf("the sink is full")
	}
	return nil
}

func (s *script) Bookmark(version string) error {
	s.log("= bookmark %s", version)
	return nil
}
