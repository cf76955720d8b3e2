package engine

import (
	"testing"
	"testing/synctest"
)

// The bell can be rung before, while and after the sleeper makes up its mind.
func TestBellIsHeardWheneverItRings(t *testing.T) {
	tests := map[string]func(b *bell, something *bool){
		"before it lies down": func(b *bell, something *bool) {
			*something = true
			b.ring()
			b.sleepUnless(func() bool { return *something })
		},
		"before it looks": func(b *bell, something *bool) {
			b.sleepUnless(func() bool {
				*something = true
				b.ring()
				return *something
			})
		},
		"after it has looked": func(b *bell, something *bool) {
			b.sleepUnless(func() bool {
				found := *something
				*something = true
				b.ring()
				return found
			})
		},
		"when it sleeps": func(b *bell, something *bool) {
			go func() {
				synctest.Wait()
				*something = true
				b.ring()
			}()
			b.sleepUnless(func() bool { return false })
		},
	}
	for name, rings := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, something := newBell(), false
				for range 3 { // what one time leaves behind, the next would trip over
					something = false
					rings(&b, &something)
					if !something {
						t.Error("woke up for nothing")
					}
					b.ring()
					b.ring()
					if len(b.token) != 0 {
						t.Error("ringing for nobody leaves a token")
					}
				}
			})
		})
	}
}
