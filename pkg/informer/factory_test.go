package informer

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// crashingFactory has started an informer whose handler panics, and one that waits for
// its first list.
func crashingFactory(t *testing.T) *Factory[thing] {
	t.Helper()
	f := NewFactory[thing]()
	f.For("broken", func() *Informer[thing] {
		i := New[thing](faultless(t), Options[thing]{Name: "broken", Traits: thingTraits})
		subscribe(t, i, func(*delta.Delta[thing]) { panic("boom") })
		return i
	})
	f.For("waiting", func() *Informer[thing] {
		return New[thing](forbidden{}, Options[thing]{Name: "waiting", Traits: thingTraits})
	})
	if err := f.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return f
}

// Whoever calls a factory gets a panic of one of its handlers, now or later.
func TestFactoryRaisesPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := crashingFactory(t)
		for range 2 { // the first waits for the crash
			for _, call := range []struct {
				name string
				do   func()
			}{
				{"WaitForSync", func() { _ = f.WaitForSync(t.Context()) }},
				{"Start", func() { _ = f.Start(t.Context()) }},
				{"Shutdown", f.Shutdown},
			} {
				if got := fmt.Sprint(panicOf(call.do)); !strings.Contains(got, "boom") {
					t.Errorf("%s ended with %s, want the panic of the handler", call.name, got)
				}
			}
		}
		synctest.Wait()
		if !f.For("waiting", nil).Stopped() {
			t.Error("the other informer goes on")
		}
		time.Sleep(time.Hour) // somebody knows, so nothing more happens
	})
}

// A panic of a handler ends the process if nobody calls the factory to learn of it.
func TestFactoryEndsTheProcess(t *testing.T) {
	const child = "DELTA_TEST_CRASHING_FACTORY"
	if os.Getenv(child) != "" {
		synctest.Test(t, func(t *testing.T) {
			crashingFactory(t)
			time.Sleep(time.Hour)
			fmt.Println("still alive")
		})
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), child+"=yes")
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "boom") || strings.Contains(string(out), "still alive") {
		t.Errorf("the process ended with %v, and said\n%s", err, out)
	}
}
