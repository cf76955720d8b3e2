package timetable

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// usualSeeds is how many random scripts the model test plays.
const usualSeeds = 100

// script drives a resync like the parts around it do, with a clock and
// subscribers of its own, and keeps what a dumb model expects.
type script struct {
	t           *testing.T
	r           *Timetable
	rng         *rand.Rand
	now         time.Time
	keys        []delta.Key
	subscribers map[uint32]*subscriberModel
}

// subscriberModel is what one subscriber expects: for each tick that was begun and has
// not ended, the keys that it has yet to be shown.
type subscriberModel struct {
	policy  resync.Policy
	last    time.Time
	wanted  []labels.Selector
	stuck   bool
	owed    []keysOwed // by period
	demands []keysOwed // on demand
	rest    keysOwed   // by a policy that was changed
}

type keysOwed map[delta.Key]bool

// odd and even are the selectors that the scripts choose from.
var odd, even = labels.SelectorFromSet(labels.Set{"odd": "true"}), labels.SelectorFromSet(labels.Set{"odd": "false"})

func numberLabels(key delta.Key) labels.Set {
	n, err := strconv.Atoi(key.Name)
	if err != nil {
		panic(err)
	}
	return labels.Set{"odd": fmt.Sprint(n%2 == 1)}
}

// chosen is what the informer gathers for a policy.
func (s *script) chosen(policy resync.Policy) []delta.Key {
	return slices.DeleteFunc(slices.Clone(s.keys), func(key delta.Key) bool {
		return policy.Selector != nil && !policy.Selector.Matches(numberLabels(key))
	})
}

func (s *script) lag(subscriber uint32) uint64 {
	if l := s.subscribers[subscriber]; l != nil && l.stuck {
		return math.MaxUint64
	}
	return 0
}

// tick begins what is due, and compares it with what the model says of it.
func (s *script) tick() {
	room := map[uint32]resyncRoom{}
	for number, l := range s.subscribers {
		room[number] = resyncRoom{MaxRuns - s.r.unfinished(number, l.policy), MaxRuns - s.r.demanded(number)}
	}
	ticks := s.r.Due(s.now)
	got := map[string]int{}
	for _, tick := range ticks {
		for _, member := range tick.To.Members {
			got[tickName(member, tick)]++
		}
	}
	want := map[string]int{}
	for number, l := range s.subscribers {
		s.expect(number, l, want, room[number])
	}
	if !maps.Equal(got, want) {
		s.t.Fatalf("at %v due are %v, want %v", s.now.Sub(epoch), got, want)
	}
	for _, tick := range ticks {
		keys := tick.Arrange(s.chosen(tick.Policy))
		if s.rng.IntN(10) == 0 { // while keys are gathered there is no lock
			s.change(uint32(1 + s.rng.IntN(4)))
		}
		s.account(tick, keys)
		s.r.Begin(tick, keys, s.now)
	}
	if s.r.Waiting() {
		s.tick()
	}
}

func tickName(member uint32, tick Tick) string {
	switch {
	case tick.demand:
		return fmt.Sprint(member, " on demand: ", tick.Policy.Selector)
	case tick.rest != nil:
		return fmt.Sprint(member, " the rest")
	default:
		return fmt.Sprint(member, " by period")
	}
}

// resyncRoom is how many more runs a subscriber may have.
type resyncRoom struct{ byPeriod, onDemand int }

// expect adds what is due for one subscriber.
func (s *script) expect(number uint32, l *subscriberModel, want map[string]int, room resyncRoom) {
	for ; room.onDemand > 0 && len(l.wanted) > 0; room.onDemand-- {
		want[tickName(number, Tick{demand: true, Policy: resync.Policy{Selector: l.wanted[0]}})]++
		l.wanted = l.wanted[1:]
	}
	switch {
	case l.policy.Period > 0 && s.now.Sub(l.last) >= l.policy.Period:
		for s.now.Sub(l.last) >= l.policy.Period {
			l.last = l.last.Add(l.policy.Period)
		}
		if l.rest = nil; room.byPeriod > 0 {
			want[tickName(number, Tick{})]++
		}
	case len(l.rest) > 0:
		want[tickName(number, Tick{rest: []delta.Key{}})]++
		l.rest = nil
	}
}

// account adds to the model what a tick is going to show.
func (s *script) account(tick Tick, keys []delta.Key) {
	for _, member := range tick.To.Members {
		l := s.subscribers[member]
		if l == nil {
			continue
		}
		owed := keysOwed{}
		for _, key := range keys {
			owed[key] = true
		}
		if tick.rest != nil {
			left := keysOwed{}
			for _, key := range tick.rest {
				left[key] = tick.Policy.Selector == nil || tick.Policy.Selector.Matches(numberLabels(key))
			}
			maps.DeleteFunc(left, func(_ delta.Key, chosen bool) bool { return !chosen })
			if !maps.Equal(left, owed) {
				s.t.Fatalf("of the rest of %d keys subscriber %d is shown %d", len(left), member, len(owed))
			}
		}
		switch {
		case len(owed) == 0:
		case tick.demand:
			l.demands = append(l.demands, owed)
		case Same(l.policy, tick.Policy):
			l.owed = append(l.owed, owed)
		case l.policy.Period > 0:
			l.owe(owed)
		}
	}
}

// owe has keys shown by whatever the policy is then.
func (l *subscriberModel) owe(keys keysOwed) {
	if l.rest == nil {
		l.rest = keysOwed{}
	}
	maps.Copy(l.rest, keys)
}

// show takes what there is to show, chunk by chunk.
func (s *script) show(chunks int) {
	for range chunks {
		batch, ok := s.r.Next(s.now, s.lag)
		if !ok {
			return
		}
		if len(batch.Keys) == 0 || len(batch.Keys) > Chunk {
			s.t.Fatalf("a chunk of %d keys", len(batch.Keys))
		}
		if why := batch.Origin.Resync; why.OnDemand != batch.demand || why.OnlyIfNotReconciledFor != batch.Policy.OnlyIfNotReconciledFor {
			s.t.Fatalf("a chunk by %+v says it is %+v", batch.Tick, why)
		}
		for _, member := range batch.To.Members {
			l := s.subscribers[member]
			if l == nil || l.stuck {
				s.t.Fatalf("a chunk for subscriber %d, which is gone or stuck", member)
			}
			if !batch.demand && !Same(batch.Policy, l.policy) {
				s.t.Fatalf("a chunk for subscriber %d by %+v, its policy is %+v", member, batch.Policy, l.policy)
			}
			for _, key := range batch.Keys {
				s.showKey(member, key, batch)
			}
		}
	}
}

func (s *script) showKey(member uint32, key delta.Key, batch Batch) {
	all := &s.subscribers[member].owed
	if batch.demand {
		all = &s.subscribers[member].demands
	}
	for i, owed := range *all {
		if !owed[key] {
			continue
		}
		delete(owed, key)
		if len(owed) == 0 {
			*all = slices.Delete(*all, i, i+1)
		}
		return
	}
	s.t.Fatalf("subscriber %d is shown %s once too often (policy %+v)", member, key, batch.Policy)
}

func (s *script) change(number uint32) {
	periods := []time.Duration{resync.Never, time.Second, 2 * time.Second, 3 * time.Second, 10 * time.Second}
	policy := resync.Policy{
		Period: periods[s.rng.IntN(len(periods))], OnlyIfNotReconciledFor: time.Duration(s.rng.IntN(2)),
		Rate: []float64{0, 0, 100, 1000}[s.rng.IntN(4)], Selector: s.selector(),
	}
	if s.rng.IntN(3) == 0 {
		policy.Spread = resync.OverPeriod
	}
	l := s.subscribers[number]
	if l == nil {
		l = &subscriberModel{last: s.now}
		s.subscribers[number] = l
	}
	if !Same(policy, l.policy) {
		for _, owed := range l.owed {
			l.owe(owed)
		}
		l.owed = nil
	}
	if policy.Period < 0 {
		l.rest = nil
	}
	l.policy = policy
	s.r.set(number, policy, s.now)
}

func (s *script) selector() labels.Selector {
	return []labels.Selector{nil, nil, odd, even, labels.Nothing()}[s.rng.IntN(5)]
}

func (s *script) demand() {
	selector := s.selector()
	s.r.Trigger(selector)
	said := func(w labels.Selector) bool { return w == nil || sameSelection(w, selector) }
	for _, l := range s.subscribers {
		switch {
		case selector == nil:
			l.wanted = []labels.Selector{nil}
		case !slices.ContainsFunc(l.wanted, said):
			l.wanted = append(l.wanted, selector)
		}
	}
}

// Every key that the policy chooses is shown once for each tick to each subscriber that
// is due, and once for each demand, however subscribers come, go, get stuck and change
// their policies in the middle; to nobody else; by no policy but the present one; and
// never are more than Chunk shown at once.
func TestResyncShowsEveryKeyOncePerTick(t *testing.T) {
	seeds.Each(t, usualSeeds, func(t *testing.T, seed uint64) {
		runResyncScript(t, seed)
	})
}

func runResyncScript(t *testing.T, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	s := &script{
		t: t, r: New(rng), rng: rng, now: epoch,
		keys: someKeys(rng.IntN(300)), subscribers: map[uint32]*subscriberModel{},
	}
	for range 300 {
		number := uint32(1 + rng.IntN(4))
		switch choice := rng.IntN(20); {
		case choice == 0:
			s.change(number)
		case choice == 1 && rng.IntN(2) == 0:
			delete(s.subscribers, number)
			s.r.Remove(number)
		case choice == 2 && s.subscribers[number] != nil:
			s.subscribers[number].stuck = !s.subscribers[number].stuck
		case choice == 3:
			s.demand()
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

// finish lets everybody catch up. Then nothing may be owed but what is wanted and has
// not begun.
func (s *script) finish() {
	for number, l := range s.subscribers {
		l.stuck, l.wanted = false, nil
		s.r.subscribers[number].next = s.now.Add(time.Hour)
		s.r.subscribers[number].wanted = nil
	}
	for range 10000 {
		s.show(1000)
		if len(s.r.runs) == 0 {
			break
		}
		s.now = s.now.Add(10 * time.Millisecond)
	}
	for number, l := range s.subscribers {
		if len(l.owed)+len(l.demands)+len(l.rest) > 0 {
			s.t.Errorf("subscriber %d still expects %d runs by period, %d on demand and %d keys", number, len(l.owed), len(l.demands), len(l.rest))
		}
	}
}
