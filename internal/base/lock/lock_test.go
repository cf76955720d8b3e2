package lock

import (
	"sync"
	"testing"
)

// locks are some of different ranks, and one more of the first rank.
type locks struct {
	scopes, others Mutex[CacheScopes]
	informer       Mutex[Informer]
	fifo           Mutex[FIFO]
	resyncer       Mutex[Resyncer]
	pins           Mutex[Pins]
}

// panicOf returns what f panics with, or nil.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

func lockAndUnlock(m sync.Locker) func() {
	return func() {
		m.Lock()
		defer m.Unlock()
	}
}

func TestTheOrder(t *testing.T) {
	for name, c := range map[string]struct {
		holds  func(*locks) []sync.Locker
		wants  func(*locks) sync.Locker
		broken string
	}{
		"nothing is held": {
			holds: func(*locks) []sync.Locker { return nil },
			wants: func(l *locks) sync.Locker { return &l.scopes },
		},
		"further down": {
			holds: func(l *locks) []sync.Locker { return []sync.Locker{&l.scopes, &l.informer, &l.fifo} },
			wants: func(l *locks) sync.Locker { return &l.pins },
		},
		"further up": {
			holds:  func(l *locks) []sync.Locker { return []sync.Locker{&l.informer} },
			wants:  func(l *locks) sync.Locker { return &l.scopes },
			broken: "BUG: lock CacheScopes: the goroutine holds Informer, but the order is CacheScopes > Informer",
		},
		"between two": {
			holds:  func(l *locks) []sync.Locker { return []sync.Locker{&l.scopes, &l.fifo} },
			wants:  func(l *locks) sync.Locker { return &l.informer },
			broken: "BUG: lock Informer: the goroutine holds FIFO, but the order is Informer > FIFO",
		},
		"above several": {
			holds: func(l *locks) []sync.Locker { return []sync.Locker{&l.informer, &l.fifo} },
			wants: func(l *locks) sync.Locker { return &l.scopes },
			broken: "BUG: lock CacheScopes: the goroutine holds Informer, but the order is CacheScopes > Informer; " +
				"it holds FIFO, but the order is CacheScopes > FIFO",
		},
		"on the same line": {
			holds:  func(l *locks) []sync.Locker { return []sync.Locker{&l.resyncer} },
			wants:  func(l *locks) sync.Locker { return &l.fifo },
			broken: "BUG: lock FIFO: the goroutine holds Resyncer, but FIFO and Resyncer are never held together",
		},
		"of the same rank": {
			holds:  func(l *locks) []sync.Locker { return []sync.Locker{&l.scopes} },
			wants:  func(l *locks) sync.Locker { return &l.others },
			broken: "BUG: lock CacheScopes: the goroutine holds CacheScopes, but no two CacheScopes are held together",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var l locks
			for _, m := range c.holds(&l) {
				m.Lock()
			}
			wanted := c.wants(&l)
			got := panicOf(lockAndUnlock(wanted))
			for _, m := range c.holds(&l) {
				m.Unlock()
			}
			checkPanic(t, got, c.broken)
			if got := panicOf(lockAndUnlock(wanted)); got != nil {
				t.Errorf("when nothing is held any more, Lock panics with %v", got)
			}
		})
	}
}

// checkPanic takes what was recovered, and how the order was broken, if it was. Where locks
// are not checked, nothing may panic.
func checkPanic(t *testing.T, got any, broken string) {
	t.Helper()
	want := any(nil)
	if broken != "" && checked {
		want = broken
	}
	if got != want {
		t.Errorf("Lock panics with %v, want %v", got, want)
	}
}

func TestAFailedCheckLeavesTheLockAlone(t *testing.T) {
	var l locks
	l.informer.Lock()
	defer l.informer.Unlock()
	broken := panicOf(lockAndUnlock(&l.scopes))
	if (broken != nil) != checked {
		t.Errorf("a broken order panics with %v", broken)
	}
	if !l.scopes.TryLock() {
		t.Fatal("the lock that was refused is taken")
	}
	l.scopes.Unlock()
}

func TestOthersLocksDoNotCount(*testing.T) {
	var l locks
	l.informer.Lock()
	defer l.informer.Unlock()
	elsewhere(func() {
		l.scopes.Lock()
		l.resyncer.Lock()
	})
	l.pins.Lock()
	defer l.pins.Unlock()
	elsewhere(func() {
		l.resyncer.Unlock()
		l.scopes.Unlock()
	})
}

// elsewhere calls f in a goroutine of its own, and waits for it.
func elsewhere(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func TestTryLockIsNotCheckedAndCounts(t *testing.T) {
	var l locks
	l.informer.Lock()
	if !l.scopes.TryLock() {
		t.Fatal("TryLock does not get a lock that nobody has")
	}
	elsewhere(func() {
		if l.scopes.TryLock() {
			t.Error("TryLock gets a lock that somebody has")
		}
	})
	l.informer.Unlock()
	checkPanic(t, panicOf(lockAndUnlock(&l.others)),
		"BUG: lock CacheScopes: the goroutine holds CacheScopes, but no two CacheScopes are held together")
	l.scopes.Unlock()
	checkPanic(t, panicOf(lockAndUnlock(&l.scopes)), "")
}

func TestAnotherGoroutineMayUnlock(t *testing.T) {
	var l locks
	l.informer.Lock()
	elsewhere(l.informer.Unlock)
	checkPanic(t, panicOf(lockAndUnlock(&l.scopes)), "") // nothing is held any more
	checkPanic(t, panicOf(lockAndUnlock(&l.informer)), "")
}

func TestACondition(t *testing.T) {
	var l locks
	woken := false
	c := sync.NewCond(&l.informer)
	l.informer.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.scopes.Lock()
		l.informer.Lock()
		woken = true
		c.Signal()
		l.informer.Unlock()
		l.scopes.Unlock()
	}()
	for !woken {
		c.Wait()
	}
	checkPanic(t, panicOf(lockAndUnlock(&l.fifo)), "")
	l.informer.Unlock()
	<-done
}

func TestLocksThatNest(t *testing.T) {
	var one, other Mutex[Popping]
	one.Lock()
	defer one.Unlock()
	checkPanic(t, panicOf(lockAndUnlock(&other)), "")
	var l locks
	checkPanic(t, panicOf(lockAndUnlock(&l.scopes)), "")
}

func TestAnUnknownRank(t *testing.T) {
	type stranger struct{}
	var m Mutex[stranger]
	checkPanic(t, panicOf(lockAndUnlock(&m)), "BUG: lock lock.stranger: it is not in the order")
}

func TestItExcludes(t *testing.T) {
	var l locks
	var all sync.WaitGroup
	n := 0
	for range 8 {
		all.Go(func() {
			for range 1000 {
				l.informer.Lock()
				l.pins.Lock()
				n++
				l.pins.Unlock()
				l.informer.Unlock()
			}
		})
	}
	all.Wait()
	if n != 8000 {
		t.Errorf("counted to %d, want 8000", n)
	}
}
