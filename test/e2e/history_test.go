package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/tools/cache"
)

// change is one change of an object in etcd.
type change struct {
	version uint64 // etcd's revision, which is the resource version
	deleted bool
}

// history is everything that happened to the objects of one kind, from etcd. No fault
// disturbs etcd, so this is the truth to compare the API server and the informers with.
type history struct {
	prefix string

	mu      sync.Mutex // guards everything below
	changes map[cache.ObjectName][]change
	latest  uint64
	err     error
}

// etcdEvents is one message of etcd's watch.
type etcdEvents struct {
	Result struct {
		Canceled bool
		Events   []struct {
			Type string // empty for a put
			KV   struct {
				Key         []byte
				ModRevision uint64 `json:"mod_revision,string"`
			}
		}
	}
	Error json.RawMessage
}

// follow records all changes below prefix, from the first revision of etcd until the test
// ends.
func follow(t *testing.T, etcd, prefix string) *history {
	t.Helper()
	request, err := json.Marshal(map[string]any{"create_request": map[string]any{
		"key": []byte(prefix), "range_end": []byte(prefix[:len(prefix)-1] + "0"), // "0" comes after "/"
		"start_revision": 1,
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, etcd+"/v3/watch", bytes.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(post)
	if err != nil {
		t.Fatal(err)
	}
	stream := json.NewDecoder(response.Body)
	var created etcdEvents
	if err := stream.Decode(&created); err != nil {
		t.Fatal(err)
	}
	h := &history{prefix: prefix, changes: map[cache.ObjectName][]change{}}
	var running sync.WaitGroup
	running.Go(func() { h.read(ctx, stream) })
	t.Cleanup(func() {
		stop()
		_ = response.Body.Close()
		running.Wait()
		http.DefaultClient.CloseIdleConnections()
	})
	return h
}

func (h *history) read(ctx context.Context, stream *json.Decoder) {
	for {
		var message etcdEvents
		err := stream.Decode(&message)
		if err == nil && (message.Result.Canceled || message.Error != nil) {
			err = errors.New("etcd ended the watch: " + string(message.Error))
		}
		if err == nil {
			err = h.add(message)
		}
		if err != nil {
			h.mu.Lock()
			if ctx.Err() == nil || !errors.Is(err, io.EOF) {
				h.err = err
			}
			h.mu.Unlock()
			return
		}
	}
}

func (h *history) add(message etcdEvents) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, event := range message.Result.Events {
		namespace, name, ok := strings.Cut(strings.TrimPrefix(string(event.KV.Key), h.prefix), "/")
		if !ok {
			return errors.New("etcd has sent a change of the key " + string(event.KV.Key))
		}
		key := cache.NewObjectName(namespace, name)
		h.latest = event.KV.ModRevision
		h.changes[key] = append(h.changes[key], change{version: h.latest, deleted: event.Type == "DELETE"})
	}
	return nil
}

// reached reports whether etcd has sent everything up to a version.
func (h *history) reached(version uint64) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.latest >= version, h.err
}
