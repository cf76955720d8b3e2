package answers

import (
	"os"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// started is when this process started, or soon after.
var started = time.Now()

// Program is the [inspector.Subject]'s.
func (o *Operator) Program() v1.Program {
	p := thisProgram()
	p.Leads = o.leads()
	return p
}

// thisProgram is what never changes of it.
var thisProgram = sync.OnceValue(func() v1.Program {
	p := v1.Program{Name: "operator", Since: started}
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Path != "" {
		p.Name = programName(build.Path, build.Main.Path)
		if build.Main.Version != "(devel)" {
			p.Version = build.Main.Version
		}
	}
	p.Host, _ = os.Hostname()
	return p
})

// general are names of packages that say nothing of the program. kubebuilder calls all its programs cmd.
var general = regexp.MustCompile(`^(cmd|main|manager|controller|v[0-9]+)$`)

// programName is the last part of a program's path that says something.
func programName(program, module string) string {
	for _, name := range slices.Backward(strings.Split(program, "/")) {
		if !general.MatchString(name) {
			return name
		}
	}
	return path.Base(module)
}

// leads reports whether the manager's controllers may run here.
func (o *Operator) leads() bool {
	select {
	case <-o.elected:
		return true
	default:
		return o.elected == nil
	}
}

// ready is how many requests of a queue wait for a worker.
func ready(s *queue.Stats) int {
	n := s.DepthBelow
	for _, of := range s.Depth {
		n += of
	}
	return n
}
