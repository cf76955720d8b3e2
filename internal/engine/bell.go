package engine

import "sync/atomic"

// bell wakes one sleeper. Ringing it while the sleeper is awake costs one load,
// which is what the publisher does for every subscriber and batch.
type bell struct {
	asleep atomic.Bool   // the sleeper waits for a token, or is about to
	token  chan struct{} // cap 1; one for each time that ring took asleep down
}

func newBell() bell { return bell{token: make(chan struct{}, 1)} }

// sleepUnless waits for the bell, unless awake finds no reason to. A ring before awake has looked shows in what it
// finds, and one after that leaves a token: no wake-up is lost.
func (b *bell) sleepUnless(awake func() bool) {
	b.asleep.Store(true)
	if awake() && b.asleep.CompareAndSwap(true, false) {
		return
	}
	<-b.token // also when awake: somebody has rung meanwhile, and the next sleep must not find that token
}

// ring wakes the sleeper. It never blocks: only who took asleep down sends.
func (b *bell) ring() {
	if b.asleep.Load() && b.asleep.CompareAndSwap(true, false) {
		b.token <- struct{}{}
	}
}
