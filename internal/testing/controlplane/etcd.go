package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
)

// startEtcd starts an etcd that does not wait for the disk: its data need not
// outlive the machine.
func (p *Plane) startEtcd(ctx context.Context, path string) error {
	address, err := FreeAddress(ctx)
	if err != nil {
		return err
	}
	p.etcdURL = "http://" + address
	p.etcdCommand = command{path: path, log: p.file("etcd.log"), args: []string{
		"--data-dir=" + p.etcdData(),
		"--listen-client-urls=" + p.etcdURL,
		"--advertise-client-urls=" + p.etcdURL,
		"--listen-peer-urls=http://127.0.0.1:0",
		"--unsafe-no-fsync",
		"--log-level=warn",
	}}
	return p.runEtcd(ctx)
}

// etcdData is where etcd keeps its data.
func (p *Plane) etcdData() string { return filepath.Join(p.folder, "etcd") }

// runEtcd starts etcd over the data that is there, and waits until it serves.
func (p *Plane) runEtcd(ctx context.Context) error {
	etcd, err := p.etcdCommand.start(p.group)
	if err != nil {
		return err
	}
	p.etcd = etcd
	return wait(ctx, func(ctx context.Context) error {
		_, err := p.revision(ctx)
		return err
	}, etcd)
}

// Compact forgets every version but the present one of everything, and returns the
// present revision: etcd answers a read or watch from an older one with an error,
// which the API server passes on as 410 Gone. The very last change stays, so that a
// watch that missed that one alone is still resumed. If nothing has changed since the last
// compaction, it does nothing.
func (p *Plane) Compact(ctx context.Context) (revision int64, err error) {
	revision, err = p.revision(ctx)
	if err != nil {
		return 0, fmt.Errorf("compact etcd: %w", err)
	}
	request := map[string]any{"revision": revision, "physical": true}
	err = p.askEtcd(ctx, "/v3/kv/compaction", request, &struct{}{})
	if err != nil && !strings.Contains(err.Error(), "revision has been compacted") {
		return 0, fmt.Errorf("compact etcd at %d: %w", revision, err)
	}
	return revision, nil
}

// revision asks etcd for its present revision, which is also the resource version
// that a list would have now.
func (p *Plane) revision(ctx context.Context) (int64, error) {
	var reply struct {
		Header struct {
			Revision int64 `json:"revision,string"`
		} `json:"header"`
	}
	request := map[string]any{"key": []byte("anything"), "count_only": true}
	if err := p.askEtcd(ctx, "/v3/kv/range", request, &reply); err != nil {
		return 0, err
	}
	return reply.Header.Revision, nil
}

// askEtcd calls etcd's JSON gateway, which spares this module etcd's client.
func (p *Plane) askEtcd(ctx context.Context, path string, request, reply any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, p.etcdURL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := p.client.Do(post)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(response.Body)
	switch {
	case err != nil:
		return fmt.Errorf("read the reply: %w", err)
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", response.Status, body)
	}
	return json.Unmarshal(body, reply)
}
