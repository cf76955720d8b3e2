package informer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

var resyncEpoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func someKeys(n int) []delta.Key {
	keys := make([]delta.Key, n)
	for i := range keys {
		keys[i] = delta.Key{Name: fmt.Sprint(i)}
	}
	return keys
}

// resyncScript drives a resync like the parts around it do, with a clock and
// listeners of its own, and keeps what a dumb model expects.
type resyncScript struct {
	t         *testing.T
	r         *resync
	rng       *rand.Rand
	now       time.Time
	keys      []delta.Key
	listeners map[uint32]*resyncModel
}

// resyncModel is what one listener expects: for each tick that was begun and has
// not ended, the keys that it has yet to be shown.
type resyncModel struct {
	policy ResyncPolicy
	last   time.Time
	asked  bool
	stuck  bool
	owed   []map[delta.Key]bool
	shown  int
}

func (s *resyncScript) lag(listener uint32) uint64 {
	if l := s.listeners[listener]; l != nil && l.stuck {
		return math.MaxUint64
	}
	return 0
}

// tick begins what is due and compares it with the model's ticks, which are those
// of whole periods since the listener came.
func (s *resyncScript) tick() {
	due, unfinished := map[uint32]bool{}, map[uint32]int{}
	for number := range s.listeners {
		unfinished[number] = s.r.unfinished(number, s.listeners[number].policy)
	}
	for _, tick := range s.r.due(s.now) {
		keys := slices.Clone(s.keys)
		tick.policy.arrange(keys)
		s.r.begin(tick, keys, s.now)
		for _, member := range tick.to.members {
			if due[member] {
				s.t.Fatalf("listener %d has two ticks at once", member)
			}
			due[member] = true
			owed := map[delta.Key]bool{}
			for _, key := range s.keys {
				owed[key] = true
			}
			if l := s.listeners[member]; len(owed) > 0 {
				l.owed = append(l.owed, owed)
			}
		}
	}
	for number, l := range s.listeners {
		onTime := l.policy.Period > 0 && s.now.Sub(l.last) >= l.policy.Period
		want := unfinished[number] < resyncRuns && (onTime || l.asked)
		if want != due[number] {
			s.t.Fatalf("at %v listener %d is due: %t, want %t (%v since its last tick of %v, %d runs unfinished, asked %t)",
				s.now.Sub(resyncEpoch), number, due[number], want, s.now.Sub(l.last), l.policy.Period, unfinished[number], l.asked)
		}
		if onTime {
			for s.now.Sub(l.last) >= l.policy.Period {
				l.last = l.last.Add(l.policy.Period)
			}
		}
		if due[number] && (!onTime || l.policy.Spread != OverPeriod) {
			l.asked = false
		}
	}
}

// show takes what there is to show, chunk by chunk.
func (s *resyncScript) show(chunks int) {
	for range chunks {
		batch, ok := s.r.next(s.now, s.lag)
		if !ok {
			return
		}
		if len(batch.keys) == 0 || len(batch.keys) > resyncChunk {
			s.t.Fatalf("a chunk of %d keys", len(batch.keys))
		}
		if _, more := s.r.next(s.now, s.lag); more {
			s.t.Fatal("a second chunk before the first has drained")
		}
		for _, member := range batch.to.members {
			l := s.listeners[member]
			if l == nil || l.stuck {
				s.t.Fatalf("a chunk for listener %d, which is gone or stuck", member)
			}
			for _, key := range batch.keys {
				s.showKey(member, l, key, batch)
			}
		}
		s.r.drained()
	}
}

func (s *resyncScript) showKey(member uint32, l *resyncModel, key delta.Key, batch resyncBatch) {
	for i, owed := range l.owed {
		if !owed[key] {
			continue
		}
		delete(owed, key)
		l.shown++
		if len(owed) == 0 {
			l.owed = slices.Delete(l.owed, i, i+1)
		}
		return
	}
	s.t.Fatalf("listener %d is shown %s once too often (policy %+v)", member, key, batch.policy)
}

func (s *resyncScript) change(number uint32) {
	periods := []time.Duration{NeverResync, time.Second, 2 * time.Second, 3 * time.Second, 10 * time.Second}
	policy := ResyncPolicy{Period: periods[s.rng.IntN(len(periods))]}
	if s.rng.IntN(3) == 0 {
		policy.Spread = OverPeriod
	}
	l := s.listeners[number]
	if l == nil {
		l = &resyncModel{last: s.now}
		s.listeners[number] = l
	}
	l.policy = policy
	s.r.set(number, policy, s.now)
	if policy.Period < 0 {
		l.owed = nil
	}
}

// Every key is shown once for each tick to each listener that is due, however
// listeners come, go, get stuck and change their policies; to nobody else; and
// never are more than resyncChunk pending.
func TestResyncShowsEveryKeyOncePerTick(t *testing.T) {
	for seed := range seeds(t) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { runResyncScript(t, seed) })
	}
}

func runResyncScript(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	s := &resyncScript{
		t: t, r: newResync(rng), rng: rng, now: resyncEpoch,
		keys: someKeys(rng.IntN(300)), listeners: map[uint32]*resyncModel{},
	}
	for range 300 {
		number := uint32(1 + rng.IntN(4))
		switch choice := rng.IntN(20); {
		case choice == 0:
			s.change(number)
		case choice == 1:
			delete(s.listeners, number)
			s.r.remove(number)
		case choice == 2 && s.listeners[number] != nil:
			s.listeners[number].stuck = !s.listeners[number].stuck
		case choice == 3 && s.listeners[number] != nil:
			s.listeners[number].asked = true
			s.r.trigger(number)
		case choice < 8:
			s.now = s.now.Add(time.Duration(rng.IntN(8)) * 250 * time.Millisecond)
		default:
			s.now = s.now.Add(time.Duration(rng.IntN(30)) * time.Millisecond)
		}
		s.tick()
		s.show(rng.IntN(8))
	}
	s.finish()
}

// finish lets everybody catch up. Then nothing may be owed but what has not had
// its moment yet.
func (s *resyncScript) finish() {
	for number, l := range s.listeners {
		l.stuck, l.asked = false, false
		l.policy.Period = time.Hour
		s.r.listeners[number].next = s.now.Add(time.Hour)
		s.r.listeners[number].asked = false
	}
	for range 10000 {
		s.show(1000)
		if len(s.r.runs) == 0 {
			break
		}
		s.now = s.now.Add(10 * time.Millisecond)
	}
	for number, l := range s.listeners {
		if len(l.owed) > 0 {
			s.t.Errorf("listener %d still expects %d runs", number, len(l.owed))
		}
	}
}

// A listener that is stuck holds the others back for a moment, once.
func TestStuckListenerIsSplitOff(t *testing.T) {
	r := newResync(nil)
	now := resyncEpoch
	stuck := true
	lag := func(number uint32) uint64 {
		if number == 2 && stuck {
			return 1000
		}
		return 0
	}
	for number := range uint32(3) {
		r.set(number+1, ResyncPolicy{Period: time.Minute}, now)
	}
	now = now.Add(time.Minute)
	for _, tick := range r.due(now) {
		r.begin(tick, someKeys(1000), now)
	}
	began := now
	shown := map[uint32]int{}
	for now.Sub(began) <= time.Second {
		batch, ok := r.next(now, lag)
		if !ok {
			if len(r.runs) == 1 && !stuck {
				break
			}
			if len(r.runs) == 1 && r.wake(now).Equal(began.Add(time.Minute)) {
				stuck = false // the others are done
				if late := now.Sub(began); late > resyncPatience || shown[1] != 1000 || shown[3] != 1000 || shown[2] != 0 {
					t.Errorf("after %v shown %v, want all to 1 and 3 within %v", late, shown, resyncPatience)
				}
				continue
			}
			now = r.wake(now)
			continue
		}
		for _, member := range batch.to.members {
			shown[member] += len(batch.keys)
		}
		r.drained()
	}
	if shown[2] != 1000 {
		t.Errorf("the listener that was stuck was shown %d of 1000", shown[2])
	}
}

func TestSpreadIsEven(t *testing.T) {
	const n, period = 20000, 100 * time.Second
	r := newResync(nil)
	now := resyncEpoch
	policy := ResyncPolicy{Period: period, Spread: OverPeriod}
	r.set(1, policy, now)
	now = now.Add(period)
	for _, tick := range r.due(now) {
		keys := someKeys(n)
		policy.arrange(keys)
		r.begin(tick, keys, now)
	}
	var slots [10]int
	began, moments := now, map[delta.Key]time.Duration{}
	for len(r.runs) > 0 {
		batch, ok := r.next(now, func(uint32) uint64 { return 0 })
		if !ok {
			now = r.wake(now)
			continue
		}
		slots[min(now.Sub(began)*10/period, 9)] += len(batch.keys)
		for _, key := range batch.keys {
			moments[key] = now.Sub(began)
		}
		r.drained()
	}
	for i, got := range slots {
		if got < n/10*9/10 || got > n/10*11/10 {
			t.Errorf("tenth %d of the period has %d keys, want about %d", i, got, n/10)
		}
	}
	for key, at := range moments {
		if late := at - phase(key, period); late < 0 || late > time.Second {
			t.Fatalf("%s was shown at %v, its moment is %v", key, at, phase(key, period))
		}
	}
}

func TestRateIsKept(t *testing.T) {
	r := newResync(nil)
	now := resyncEpoch
	r.set(1, ResyncPolicy{Period: time.Hour, Rate: 50}, now)
	now = now.Add(time.Hour)
	for _, tick := range r.due(now) {
		r.begin(tick, someKeys(500), now)
	}
	began := now
	for len(r.runs) > 0 {
		if batch, ok := r.next(now, func(uint32) uint64 { return 0 }); ok {
			if len(batch.keys) > 5 {
				t.Fatalf("%d at once, at 50 a second", len(batch.keys))
			}
			r.drained()
		} else {
			now = r.wake(now)
		}
	}
	if took := now.Sub(began); took < 9*time.Second || took > 11*time.Second {
		t.Errorf("500 keys took %v, want 10s at 50 a second", took)
	}
}

func TestJitterStaysWithinItsFraction(t *testing.T) {
	r := newResync(rand.New(rand.NewPCG(1, 2)))
	now := resyncEpoch
	r.set(1, ResyncPolicy{Period: 10 * time.Second, Jitter: 0.1}, now)
	distinct := map[time.Duration]bool{}
	for range 100 {
		next := r.wake(now)
		gap := next.Sub(now)
		if gap < 9*time.Second || gap > 11*time.Second {
			t.Fatalf("a period of %v, want 10s ± 10 %%", gap)
		}
		distinct[gap] = true
		now = next
		if len(r.due(now)) != 1 {
			t.Fatal("not due when it said it would be")
		}
	}
	if len(distinct) < 50 {
		t.Errorf("only %d different periods in 100", len(distinct))
	}
}

func TestPolicyOr(t *testing.T) {
	got := ResyncPolicy{Period: NeverResync, Rate: 5}.Or(ResyncPolicy{Period: time.Hour, Spread: OverPeriod, Rate: 9, Lane: 3})
	if got.Period != NeverResync || got.Spread != OverPeriod || got.Rate != 5 || got.Lane != 3 {
		t.Errorf("got %+v", got)
	}
}
