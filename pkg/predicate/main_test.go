package predicate_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/go-logr/logr/funcr"
	"go.uber.org/goleak"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func TestMain(m *testing.M) {
	log.SetLogger(funcr.New(func(_, args string) { logged.add(args) }, funcr.Options{}))
	goleak.VerifyTestMain(m)
}

// logged is the log of the package in all tests.
var logged logLines

// logLines are the lines of a log. The tests log a few each.
type logLines struct {
	mu    sync.Mutex // guards lines
	lines []string
}

func (l *logLines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// count returns how many lines have a text in them.
func (l *logLines) count(text string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}
