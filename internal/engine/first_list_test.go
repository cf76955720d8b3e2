package engine

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestALongFirstListIsNamed gives a handler that takes a second for each object a first list of
// a hundred, as a snapshot because it comes late or as events because it was there before. The
// log says once how much is left, and the status says it at any time. A slow list does not count as a backlog.
func TestALongFirstListIsNamed(t *testing.T) {
	const objects = 100
	for name, late := range map[string]bool{"a late subscriber": true, "one that was there before": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, warned := watched(t)
				l := p.newSubscriber(informer.SubscribeOptions{Name: "billing", HighWater: 1000}, func(*delta.Delta[part]) { time.Sleep(time.Second) })
				if late {
					p.markSynced()
					all := map[delta.Key]part{}
					for i := range objects {
						all[delta.Key{Name: fmt.Sprint(i)}] = part{}
					}
					p.join(l, worldOf(all))
				} else {
					p.join(l, nil)
					p.publish(added(objects))
					p.markSynced()
				}
				p.group.Guest("billing", l.run)
				synctest.Wait()
				for second := range 20 {
					if s := p.status(time.Now())[0]; s.Lag != uint64(objects-second) || s.Synced {
						t.Fatalf("after %d seconds it is %d behind, want %d; synced: %t", second, s.Lag, objects-second, s.Synced)
					}
					time.Sleep(time.Second)
					synctest.Wait()
				}
				time.Sleep(objects * time.Second)
				lines := warned.lines()
				if len(lines) != 1 || !strings.Contains(lines[0], "takes long for the first list") ||
					!strings.Contains(lines[0], `"subscriber"="billing"`) ||
					!strings.Contains(lines[0], `"lag"=90 `) && !strings.Contains(lines[0], `"lag"=91 `) { // the call and the look may be at the same instant
					t.Errorf("warned %q, want once, with some 90 objects left", lines)
				}
				if s := p.status(time.Now())[0]; s.Lag != 0 || !s.Synced {
					t.Errorf("at the end it is %d behind; synced: %t", s.Lag, s.Synced)
				}
			})
		})
	}
}

// TestALongFirstListIsNotABacklog sees no warning of one, however long the list is.
func TestALongFirstListIsNotABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, warned := watched(t)
		p.markSynced()
		all := map[delta.Key]part{}
		for i := range 100 {
			all[delta.Key{Name: fmt.Sprint(i)}] = part{}
		}
		p.add(informer.SubscribeOptions{HighWater: 10}, worldOf(all), func(*delta.Delta[part]) { time.Sleep(50 * time.Millisecond) })
		for range 4 {
			time.Sleep(time.Second)
			p.warn(time.Now())
		}
		if lines := warned.lines(); len(lines) != 0 {
			t.Errorf("warned %q", lines)
		}
	})
}
