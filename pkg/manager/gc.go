package manager

import (
	"fmt"
	"os"
	"runtime/debug"
)

// WithGC sets after how much the garbage collector runs, in percent of what lives in the heap, as GOGC does. If GOGC is set in the
// environment, it stands: who runs the program knows more than who wrote it.
//
// Go's own setting is 100. The heap of our cache is smaller than that of controller-runtime's, so with 100 it is collected
// more often. With 200 to 300 the process gives some of the memory back that it saves, and takes less CPU where much is read. Set
// GOMEMLIMIT, too, to nine tenths of the container's memory limit: the collector then works harder before the container is killed.
func WithGC(percent int) Option {
	return func(s *settings) { s.gc = &percent }
}

func (s *settings) checkGC() error {
	if s.gc != nil && *s.gc <= 0 {
		return fmt.Errorf("configure manager: WithGC has %d percent: it takes 1 or more, and 100 is what Go does without it", *s.gc)
	}
	return nil
}

// setGC changes the whole process, so it comes when nothing can fail any more.
func (s *settings) setGC() {
	if s.gc == nil {
		return
	}
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(*s.gc)
	}
}
