package contract

import (
	"fmt"
	"math/rand/v2"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// random is a script of some writes, and of requests with random options, which may not make
// sense. For most seeds there is an event in between.
func random(seed uint64) script {
	rng := rand.New(rand.NewPCG(seed, 0))
	d := dice{rng, map[string]bool{}}
	s := script{name: fmt.Sprint("seed=", seed)}
	fates := [][]event{nil, {compact, restart}, {restart, compact}}
	count := 0
	act := func() {
		for range 3 + rng.IntN(5) {
			s.steps, count = append(s.steps, d.write()), count+1
		}
		if rng.IntN(2) == 0 {
			s.steps = append(s.steps, list{limit: 1 + rng.Int64N(2)})
		}
	}
	act()
	for _, e := range fates[rng.IntN(len(fates))] {
		s.steps = append(s.steps, e)
		if rng.IntN(2) == 0 {
			act()
		}
	}
	var requests together
	for range 8 {
		if r := d.request(count); rng.IntN(2) == 0 {
			requests = append(requests, list(r))
		} else {
			requests = append(requests, watch{request: r})
		}
	}
	s.steps = append(s.steps, requests)
	return s
}

// dice draws what a script does. It knows which objects there are.
type dice struct {
	*rand.Rand
	there map[string]bool
}

func (d dice) write() step {
	name := string(rune('a' + d.IntN(5)))
	if d.there[name] && d.IntN(3) == 0 {
		d.there[name] = false
		return remove{name}
	}
	d.there[name] = true
	return put{name, []string{"", "red"}[d.IntN(2)]}
}

// request draws options. It leaves out each option in most cases. Otherwise hardly any
// request would make sense.
func (d dice) request(writes int) request {
	r := request{bookmarks: d.IntN(3) == 0}
	switch d.IntN(6) {
	case 0:
	case 1:
		r.version = "0"
	case 2:
		r.version = "future"
	default:
		r.version = fmt.Sprint("w", 1+d.IntN(writes))
	}
	if d.IntN(2) == 0 {
		r.match = []metav1.ResourceVersionMatch{exact, notOlderThan}[d.IntN(2)]
	}
	if d.IntN(3) == 0 {
		r.limit = 1 + d.Int64N(3)
	}
	if d.IntN(4) == 0 {
		r.initial = []*bool{yes, no}[d.IntN(2)]
	}
	if d.IntN(5) == 0 {
		r.from = []string{"next", "rest", "nonsense"}[d.IntN(3)]
	}
	return r
}
