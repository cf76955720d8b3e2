package await

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// judged stands for a test, and remembers how it was judged.
type judged struct {
	testing.TB
	logs  []string
	fatal string
}

func (*judged) Helper() {}
func (j *judged) Logf(format string, args ...any) {
	j.logs = append(j.logs, fmt.Sprintf(format, args...))
}

func (j *judged) Fatalf(format string, args ...any) {
	j.fatal = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// judge plays a test in a goroutine of its own, which Fatalf ends, and says how long it
// took.
func judge(t *testing.T, test func(t testing.TB)) (*judged, time.Duration) {
	t.Helper()
	j := &judged{}
	begin, ended := time.Now(), make(chan struct{})
	go func() {
		defer close(ended)
		test(j)
	}()
	<-ended
	return j, time.Since(begin)
}

func TestPatienceEnds(t *testing.T) {
	never := make(chan struct{})
	for name, c := range map[string]struct {
		test func(t testing.TB)
		want string
		took time.Duration
	}{
		"Until":   {func(t testing.TB) { Until(t, "luck", func() bool { return false }) }, "waited 2m0s for luck: not yet", Patience},
		"Success": {func(t testing.TB) { Success(t, "luck", func() error { return errors.New("none") }) }, "waited 2m0s for luck: none", Patience},
		"Within":  {func(t testing.TB) { Within(t, time.Hour, "luck", func() error { return errors.New("none") }) }, "waited 1h0m0s for luck: none", time.Hour},
		"Receive": {func(t testing.TB) { Receive(t, "luck", never) }, "waited 2m0s for luck", Patience},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never = make(chan struct{}) // of this bubble
				j, took := judge(t, c.test)
				if j.fatal != c.want || took != c.took {
					t.Errorf("%q after %v, want %q after %v", j.fatal, took, c.want, c.took)
				}
			})
		})
	}
}

func TestSuccessSaysWhatIsWrongMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		j, _ := judge(t, func(t testing.TB) {
			Success(t, "luck", func() error {
				if time.Since(begin) > 25*time.Second {
					return nil
				}
				return errors.New("none")
			})
		})
		if want := []string{"10s for luck: none", "20s for luck: none"}; j.fatal != "" || !slices.Equal(j.logs, want) {
			t.Errorf("%q, %q; want %q", j.fatal, j.logs, want)
		}
	})
}

// TestALongLookIsFollowedByALongPause leaves the machine to what is waited for.
func TestALongLookIsFollowedByALongPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		j, took := judge(t, func(t testing.TB) {
			Until(t, "the third look", func() bool { time.Sleep(time.Second); looks++; return looks == 3 })
		})
		if j.fatal != "" || took != 5*time.Second {
			t.Errorf("%q after %v, want 5s", j.fatal, took)
		}
	})
}
