package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// script is everything that happens to an informer, drawn from a seed.
type script struct {
	seed      uint64
	server    serverConfig
	noStreams bool          // the client says that it can't do streaming lists
	resync    time.Duration // the informer's default resync period
	transform bool
	spin      int // how slow the index function is; it makes batches grow
	steps     []step
	// writers write independently of the steps. A paced script has none.
	writers [][]timedWrite
}

type timedWrite struct {
	after time.Duration
	write
}

// step is one step of a script.
type step interface {
	fmt.Stringer
	run(r *runner)
}

// storm reports whether the script never waits for the informer.
func (s *script) storm() bool { return len(s.writers) > 0 }

// String is the text of the script in the output of a failing test.
func (s *script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %+v noStreams=%v resync=%v transform=%v spin=%d\n",
		s.seed, s.server, s.noStreams, s.resync, s.transform, s.spin)
	for i, w := range s.writers {
		fmt.Fprintf(&b, "  writer %d:", i)
		for _, t := range w {
			fmt.Fprintf(&b, " +%v %v;", t.after, t.write)
		}
		b.WriteByte('\n')
	}
	for i, st := range s.steps {
		fmt.Fprintf(&b, "  %2d %v\n", i, st)
	}
	return b.String()
}

// pen invents writes. It knows what the server will have when they are made, so each of them
// is possible.
type pen struct {
	rng  *rand.Rand
	live map[string]write
	revs map[string]int64
	uids map[string]int
	kept map[string]write // a copy of live at the backup
}

func newPen(rng *rand.Rand) *pen {
	return &pen{rng: rng, live: map[string]write{}, revs: map[string]int64{}, uids: map[string]int{}}
}

var (
	allKeys = []string{"ns0/a", "ns0/b", "ns0/c", "ns1/a", "ns1/b", "ns1/c", "ns2/a", "lone"}
	colors  = []string{"red", "green", "blue"}
)

// some returns up to n writes of some keys.
func (p *pen) some(n int, keys []string) []write {
	var writes []write
	for range p.rng.IntN(n + 1) {
		writes = append(writes, p.any(keys[p.rng.IntN(len(keys))])...)
	}
	return writes
}

func (p *pen) any(key string) []write {
	_, there := p.live[key]
	switch dice := p.rng.IntN(20); {
	case !there && dice < 7: // deleted before anybody has noticed it
		return []write{p.create(key), p.remove(key)}
	case !there:
		return []write{p.create(key)}
	case dice < 12:
		return []write{p.update(key)}
	case dice < 17:
		return []write{p.remove(key)}
	default:
		return []write{p.remove(key), p.create(key)}
	}
}

func (p *pen) create(key string) write {
	p.revs[key]++
	p.uids[key]++
	w := write{kind: watch.Added, key: key, rev: p.revs[key], uid: fmt.Sprint("u", p.uids[key]), color: p.color()}
	p.live[key] = w
	return w
}

func (p *pen) update(key string) write {
	p.revs[key]++
	w := write{kind: watch.Modified, key: key, rev: p.revs[key], uid: p.live[key].uid, color: p.color()}
	p.live[key] = w
	return w
}

// remove keeps the revision, because a DELETED event has the last state.
func (p *pen) remove(key string) write {
	w := p.live[key]
	w.kind = watch.Deleted
	delete(p.live, key)
	return w
}

func (p *pen) color() string { return colors[p.rng.IntN(len(colors))] }

// fault is one way for a request to go wrong.
type fault uint8

const (
	faultNone fault = iota
	faultRefused
	faultThrottled
	faultInternal
	faultExpired
	faultForbidden
	faultTooLarge
	faultSlow        // answered, late
	faultPageExpired // the second page of a list is 410
	faultStreamCut   // a streaming list ends half way
	faultStreamError // a streaming list ends half way, with an error event
	faultStreamMute  // a streaming list never says that it is complete
	faultCount
)

var faultNames = [...]string{"none", "refused", "429", "500", "410", "403", "tooLarge", "slow", "page410", "streamCut", "streamError", "streamMute"}

// String is the text of a fault in a printed script.
func (f fault) String() string { return faultNames[f] }

// err is the error that the fault causes in a client, or nil if it causes none.
func (f fault) err() error {
	resource := schema.GroupResource{Resource: "configmaps"}
	switch f {
	case faultRefused:
		return fmt.Errorf("dial tcp 127.0.0.1:1: connect: %w", syscall.ECONNREFUSED)
	case faultThrottled:
		return apierrors.NewTooManyRequests("too many requests", 1)
	case faultInternal:
		return apierrors.NewInternalError(fmt.Errorf("etcd leader changed"))
	case faultExpired, faultPageExpired, faultStreamError:
		return apierrors.NewResourceExpired("the resource version is too old")
	case faultForbidden:
		return apierrors.NewForbidden(resource, "", fmt.Errorf("no role"))
	case faultTooLarge:
		return tooLarge()
	case faultNone, faultSlow, faultStreamCut, faultStreamMute, faultCount:
	}
	return nil
}

// status is the fault as the object of a watch's ERROR event.
func (f fault) status() *metav1.Status {
	var status apierrors.APIStatus = apierrors.NewInternalError(fmt.Errorf("connection lost"))
	if api, ok := f.err().(apierrors.APIStatus); ok {
		status = api
	}
	s := status.Status()
	return &s
}

// tooLarge is the API server's answer to a version that it has not reached.
func tooLarge() error {
	err := apierrors.NewTimeoutError("Too large resource version", 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return err
}
