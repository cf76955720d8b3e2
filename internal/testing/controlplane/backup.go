package controlplane

import (
	"context"
	"fmt"
	"os"
)

// Backup is etcd's data as it was at one time. It goes when its Plane stops.
type Backup struct {
	// Revision is the newest version in it.
	Revision int64

	folder string
}

// Backup copies etcd's data. etcd is down while it does, which the API server bridges.
func (p *Plane) Backup(ctx context.Context) (*Backup, error) {
	revision, err := p.revision(ctx)
	if err != nil {
		return nil, fmt.Errorf("back up etcd: ask for its revision: %w", err)
	}
	folder, err := os.MkdirTemp(p.folder, "backup-")
	if err != nil {
		return nil, fmt.Errorf("back up etcd: %w", err)
	}
	p.etcd.end()
	if err := os.CopyFS(folder, os.DirFS(p.etcdData())); err != nil {
		return nil, fmt.Errorf("back up etcd: %w", err)
	}
	if err := p.runEtcd(ctx); err != nil {
		return nil, fmt.Errorf("start etcd after a backup: %w", err)
	}
	return &Backup{Revision: revision, folder: folder}, nil
}

// Restore puts etcd's data back to what they were, as after a disaster: the API server
// ends, and starts again over the old data. All versions since the backup are given out a
// second time.
func (p *Plane) Restore(ctx context.Context, b *Backup) error {
	p.KillAPIServer()
	if err := p.RestoreEtcd(ctx, b); err != nil {
		return err
	}
	if err := p.StartAPIServer(ctx); err != nil {
		return fmt.Errorf("start the API server after etcd was restored: %w", err)
	}
	return nil
}

// RestoreEtcd is Restore for somebody who forgets the API server: it runs on with what it
// has in memory.
func (p *Plane) RestoreEtcd(ctx context.Context, b *Backup) error {
	p.etcd.end()
	if err := os.RemoveAll(p.etcdData()); err != nil {
		return fmt.Errorf("restore etcd: %w", err)
	}
	if err := os.CopyFS(p.etcdData(), os.DirFS(b.folder)); err != nil {
		return fmt.Errorf("restore etcd: %w", err)
	}
	if err := p.runEtcd(ctx); err != nil {
		return fmt.Errorf("start etcd after it was restored: %w", err)
	}
	return nil
}
