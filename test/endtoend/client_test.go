package endtoend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// figures are what a client has measured of itself.
type figures struct {
	ListCPU   time.Duration // from the manager's start until everything is reconciled once
	BaseRSS   uint64        // the most memory that the process had before the manager's start
	PeakRSS   uint64        // and before everything was reconciled once
	EndRSS    uint64        // and before the end
	BaseHeap  uint64        // that lived before the manager was made
	Heap      uint64        // that lives once everything is listed
	EventsCPU time.Duration // from the release of the events until all is reconciled
	RelistCPU time.Duration // of one relist
	ReplayCPU time.Duration // of one whose answer is in memory
}

// patience is how long one part of a scenario may take.
const patience = 90 * time.Second

// A subject is a manager that is measured.
type subject struct {
	job
	seen  *tally
	lists *replay
}

// measure is the client's process.
func measure(j job) (figures, error) {
	s := &subject{job: j, seen: newTally(), lists: newReplay()}
	found := figures{BaseHeap: settle()}
	mgr, err := s.newManager()
	if err != nil {
		return found, err
	}
	if found.BaseRSS, err = peakRSS(); err != nil {
		return found, err
	}
	ended := make(chan error, 1)
	scenario := j.Scenario
	found.ListCPU, err = s.during("list", ended, func() bool { return s.seen.delivered >= scenario.Objects }, func() error {
		go func() { ended <- mgr.Start(context.Background()) }()
		return nil
	})
	if err != nil {
		return found, err
	}
	if found.PeakRSS, err = peakRSS(); err != nil {
		return found, err
	}
	found.Heap = settle()
	if err := s.heapProfile(); err != nil {
		return found, err
	}
	if scenario.Events > 0 {
		found.EventsCPU, err = s.during("events", ended, func() bool { return s.seen.delivered >= scenario.Events },
			func() error { return s.tell("release", scenario.Events) })
		if err != nil {
			return found, err
		}
	}
	if err := s.relist(&found, ended); err != nil {
		return found, err
	}
	if found.EndRSS, err = peakRSS(); err != nil {
		return found, err
	}
	return found, s.check(mgr)
}

// relist has the informer list again, first from the network and then from memory.
func (s *subject) relist(found *figures, ended <-chan error) error {
	scenario, expire := s.Scenario, func() error { return s.tell("expire", 1) }
	for i := range scenario.Relists + scenario.Replays {
		what, begin, spent, times := "relist", expire, &found.RelistCPU, scenario.Relists
		if i >= scenario.Relists {
			var err error
			if begin, err = s.lists.relist(expire); err != nil {
				return err
			}
			what, spent, times = "replay", &found.ReplayCPU, scenario.Replays
		}
		settle()
		last := strconv.FormatUint(benchkit.VersionAfter(scenario.Objects, scenario.Events+i+1), 10)
		took, err := s.during(what, ended, func() bool { return s.seen.version == last }, begin)
		if err != nil {
			return err
		}
		*spent += took / time.Duration(times)
	}
	return nil
}

// settle collects what is garbage, so that each part begins alike. It returns what lives.
func settle() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// during returns the processor time from when something begins until all that follows from it
// is delivered and reconciled.
func (s *subject) during(what string, ended <-chan error, enough func() bool, begin func() error) (time.Duration, error) {
	done := s.seen.wait(enough)
	finish, err := s.profile(what)
	if err != nil {
		return 0, err
	}
	cpu := benchkit.StartCPU()
	if err := begin(); err != nil {
		return 0, err
	}
	select {
	case <-done:
	case err := <-ended:
		return 0, fmt.Errorf("the manager has ended during the %s: %w", what, err)
	case <-time.After(patience):
		return 0, fmt.Errorf("the %s takes longer than %v: %s", what, patience, s.seen)
	}
	cpu.Stop()
	finish()
	return cpu.Spent(), nil
}

// tell has the server do something n times.
func (s *subject) tell(what string, n int) error {
	answer, err := http.Post(s.Server+"/"+what+"/"+strconv.Itoa(n), "", nil) //nolint:noctx // the process ends if it hangs
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	if said, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %w", what, said, errors.Join(err, errors.New(answer.Status)))
	}
	return nil
}

// profileName is the name of a profile, or empty if none is wanted.
func (s *subject) profileName(what string) string {
	if s.Profile == "" {
		return ""
	}
	return fmt.Sprintf("%s.%s.%s.%s.pprof", s.Profile, what, s.Scenario.Form, s.Scenario.Side)
}

// profile begins a profile if one is wanted. The function that it returns ends it.
func (s *subject) profile(what string) (finish func(), err error) {
	name := s.profileName(what)
	if name == "" {
		return func() {}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}

// heapProfile writes what lives, if that is wanted.
func (s *subject) heapProfile() error {
	name := s.profileName("heap")
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(pprof.WriteHeapProfile(file), file.Close())
}

var peak = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// peakRSS is the most memory that this process has had so far. It is zero where there is no
// /proc. getrusage would also count what the process was before it became another program.
func peakRSS() (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	found := peak.FindSubmatch(status)
	if found == nil {
		return 0, errors.New("/proc/self/status has no VmHWM")
	}
	kilobytes, err := strconv.ParseUint(string(found[1]), 10, 64)
	return kilobytes << 10, err
}
