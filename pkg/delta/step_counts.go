package delta

import (
	"cmp"
	"slices"
	"strings"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// maxStepNames is how many names of steps a ledger counts, and maxStepName how long one may
// be, in bytes.
const (
	maxStepNames = 100
	maxStepName  = 200
)

// StepStatus counts what has become of the steps of one name since the controller was made.
type StepStatus struct {
	// Name is the step's. It is empty for all steps together that there were too many names
	// for: a name that says what a step is done to is not one that can be counted by.
	Name string
	// Done is how often it ran and succeeded, Failed how often it ran and did not, Skipped how
	// often nothing that it depends on was touched.
	Done, Failed, Skipped uint64
	// Blind says why the step could not be judged when it last ran for that reason. It is
	// empty if it could, and once the step has been skipped.
	Blind string
}

// stepCounts counts the steps of a controller. Nil counts nothing.
type stepCounts struct {
	mu     lock.Mutex[lock.StepCounts] // guards byName
	byName map[string]*StepStatus
}

// note changes what is known of the steps of a name.
func (c *stepCounts) note(name string, change func(of *StepStatus)) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c.ofLocked(name))
}

func (c *stepCounts) ofLocked(name string) *StepStatus {
	if of := c.byName[name]; of != nil {
		return of
	}
	if len(c.byName) >= maxStepNames || len(name) > maxStepName {
		name = ""
		if of := c.byName[name]; of != nil {
			return of
		}
	}
	if c.byName == nil {
		c.byName = map[string]*StepStatus{}
	}
	of := &StepStatus{Name: strings.Clone(name)}
	c.byName[of.Name] = of
	return of
}

func (c *stepCounts) all() []StepStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]StepStatus, 0, len(c.byName))
	for _, of := range c.byName {
		all = append(all, *of)
	}
	slices.SortFunc(all, func(a, b StepStatus) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
