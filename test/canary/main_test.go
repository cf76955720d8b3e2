package canary

import (
	"bytes"
	"flag"
	"io"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

// shared is the control plane that all tests use.
var shared controlplane.Shared

// logged is what this process logs.
var logged written

func TestMain(m *testing.M) {
	utilruntime.ReallyCrash = false // handlers panic, and the log has to tell of it
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	_ = flags.Set("v", loudest)
	logger := logr.New(&sinks{each: []logr.LogSink{zapTo(&logged, "json"), zapTo(&logged, "console")}})
	log.SetLogger(logger)
	klog.SetLogger(logger)
	realtime.Main(shared.Around(m))
}

// loudest is the level up to which all is logged. Above it client-go logs what the server answers.
const loudest = "7"

func zapTo(to io.Writer, encoder string) logr.LogSink {
	var options zap.Options
	flags := flag.NewFlagSet("zap", flag.PanicOnError)
	options.BindFlags(flags)
	_ = flags.Parse([]string{"--zap-log-level=" + loudest, "--zap-stacktrace-level=panic", "--zap-encoder=" + encoder})
	return zap.New(zap.UseFlagOptions(&options), zap.WriteTo(to)).GetSink()
}

// written is a file in memory.
type written struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write never fails.
func (w *written) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(text)
}

// take returns what was written since the last take.
func (w *written) take() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return bytes.Clone(w.text.Next(w.text.Len()))
}

// sinks tells several sinks the same.
type sinks struct{ each []logr.LogSink }

var _ logr.LogSink = (*sinks)(nil)

// Init is a LogSink's. Those of zap need none.
func (*sinks) Init(logr.RuntimeInfo) {}

// Enabled asks the first, as all log the same.
func (s *sinks) Enabled(level int) bool { return s.each[0].Enabled(level) }

// Info tells all.
func (s *sinks) Info(level int, msg string, keysAndValues ...any) {
	for _, one := range s.each {
		one.Info(level, msg, keysAndValues...)
	}
}

// Error tells all.
func (s *sinks) Error(err error, msg string, keysAndValues ...any) {
	for _, one := range s.each {
		one.Error(err, msg, keysAndValues...)
	}
}

// WithValues has all of them begin with these.
func (s *sinks) WithValues(keysAndValues ...any) logr.LogSink {
	return s.with(func(one logr.LogSink) logr.LogSink { return one.WithValues(keysAndValues...) })
}

// WithName gives all of them the name.
func (s *sinks) WithName(name string) logr.LogSink {
	return s.with(func(one logr.LogSink) logr.LogSink { return one.WithName(name) })
}

func (s *sinks) with(change func(logr.LogSink) logr.LogSink) logr.LogSink {
	changed := &sinks{}
	for _, one := range s.each {
		changed.each = append(changed.each, change(one))
	}
	return changed
}
