package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
)

const (
	writers        = 8
	namespaces     = 5
	stepsPerWriter = 2500 // at least; on the way each writer makes its share of all objects
)

// step is one write.
type step struct {
	kind  kind
	op    op
	key   cache.ObjectName
	value int64
}

// script has the steps of one writer. No other writer changes the same objects, so the script
// alone decides what exists at the end.
type script struct {
	owner string
	steps []step
	final map[string]map[cache.ObjectName]int64 // by kind, the values at the end
}

// newScript creates its writer's share of every kind. After each creation it changes an
// object: mostly it updates one, sometimes it deletes one, and some deleted objects come
// back.
func newScript(rng *rand.Rand, writer int, kinds []kind) script {
	s := script{owner: fmt.Sprint("writer-", writer), final: map[string]map[cache.ObjectName]int64{}}
	left, gone := map[string]int{}, map[string][]cache.ObjectName{}
	there := map[string][]cache.ObjectName{}
	total := 0
	for _, k := range kinds {
		left[k.name] = k.objects / writers
		total += left[k.name]
		s.final[k.name] = map[cache.ObjectName]int64{}
	}
	for value := int64(1); total > 0 || len(s.steps) < stepsPerWriter; value++ {
		k := kinds[0]
		if rng.IntN(6) == 0 {
			k = kinds[1]
		}
		objects := there[k.name]
		draw := rng.IntN(100)
		switch {
		case draw < 50 && left[k.name] > 0:
			key := cache.NewObjectName(fmt.Sprint("e2e-", left[k.name]%namespaces), fmt.Sprintf("w%d-%d", writer, left[k.name]))
			left[k.name]--
			total--
			there[k.name] = append(objects, key)
			s.add(step{k, added, key, value})
		case draw < 85 && len(objects) > 0:
			s.add(step{k, updated, objects[rng.IntN(len(objects))], value})
		case draw < 95 && len(objects) > 0:
			at := rng.IntN(len(objects))
			gone[k.name] = append(gone[k.name], objects[at])
			s.add(step{k, deleted, objects[at], value})
			objects[at] = objects[len(objects)-1]
			there[k.name] = objects[:len(objects)-1]
		case len(gone[k.name]) > 0:
			back := gone[k.name][0]
			gone[k.name] = gone[k.name][1:]
			there[k.name] = append(objects, back)
			s.add(step{k, added, back, value})
		}
	}
	return s
}

func (s *script) add(next step) {
	s.steps = append(s.steps, next)
	if next.op == deleted {
		delete(s.final[next.kind.name], next.key)
		return
	}
	s.final[next.kind.name][next.key] = next.value
}

// writer carries out steps, also while the server is disturbed.
type writer struct {
	client dynamic.Interface
	owner  string
}

// do repeats a step until the server has done it. A server that was killed may have done it
// without an answer. So it is also good if the step is done already.
func (w writer) do(ctx context.Context, s step) error {
	for {
		err := w.try(ctx, s)
		switch {
		case s.op == added && apierrors.IsAlreadyExists(err), s.op == deleted && apierrors.IsNotFound(err):
			return nil
		case err == nil:
			return nil
		case ctx.Err() != nil || apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
			return fmt.Errorf("%s %s %s: %w", s.op, s.kind.name, s.key, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (w writer) try(ctx context.Context, s step) error {
	// After a server was killed, a request may have to wait long for its error.
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	client := w.client.Resource(s.kind.resource).Namespace(s.key.Namespace)
	var err error
	switch s.op {
	case added:
		_, err = client.Create(ctx, s.kind.object(s.key, w.owner, s.value), metav1.CreateOptions{})
	case updated:
		patch, encodeErr := json.Marshal(s.kind.content(s.value))
		if encodeErr != nil {
			return encodeErr
		}
		_, err = client.Patch(ctx, s.key.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	case deleted:
		err = client.Delete(ctx, s.key.Name, metav1.DeleteOptions{})
	case missed, 0:
		panic(fmt.Sprintf("BUG: a writer cannot do %s", s.op))
	}
	return err
}

// progress counts the steps of all writers, and says when there are enough.
type progress struct {
	mu     sync.Mutex // guards everything below
	done   int
	awaits map[int]chan struct{}
}

func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if reached, ok := p.awaits[p.done]; ok {
		close(reached)
		delete(p.awaits, p.done)
	}
}

// reached returns a channel that is closed when this number of steps is done.
func (p *progress) reached(steps int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	reached := make(chan struct{})
	if p.done >= steps {
		close(reached)
		return reached
	}
	p.awaits[steps] = reached
	return reached
}
