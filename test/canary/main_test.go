package canary

import (
	"bytes"
	"flag"
	"io"
	"sync"
	"testing"

	uberzap "go.uber.org/zap"
	"go.uber.org/zap/zapcore"
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
	console := zap.NewRaw(zapTo(&logged, "console")...).Core()
	logger := zap.New(append(zapTo(&logged, "json"), zap.RawZapOpts(uberzap.WrapCore(func(json zapcore.Core) zapcore.Core { return zapcore.NewTee(json, console) })))...)
	log.SetLogger(logger)
	klog.SetLogger(logger)
	realtime.Main(shared.Around(m))
}

// loudest is the level up to which all is logged. Above it client-go logs what the server answers.
const loudest = "7"

func zapTo(to io.Writer, encoder string) []zap.Opts {
	var options zap.Options
	flags := flag.NewFlagSet("zap", flag.PanicOnError)
	options.BindFlags(flags)
	_ = flags.Parse([]string{"--zap-log-level=" + loudest, "--zap-stacktrace-level=panic", "--zap-encoder=" + encoder})
	return []zap.Opts{zap.UseFlagOptions(&options), zap.WriteTo(to)}
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
