package cache

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/go-logr/logr"
)

func TestMain(m *testing.M) {
	logf.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{logged.take} //nolint:reassign // it is there to be set
	goleak.VerifyTestMain(lastly{m})
}

// logged are the errors that client-go's default handlers would write to the log.
var logged errorLog

type errorLog struct {
	mu   sync.Mutex
	said []string
}

func (l *errorLog) take(_ context.Context, err error, message string, _ ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, message+": "+err.Error())
}

// of are those that mention a text.
func (l *errorLog) of(text string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.said), func(said string) bool { return !strings.Contains(said, text) })
}

// lastly ends what benchmarks have in common before leaks are looked for.
type lastly struct{ *testing.M }

func (l lastly) Run() int { return untilExit.Run(l.M) }
