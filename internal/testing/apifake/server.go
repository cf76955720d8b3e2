package apifake

import (
	"context"
	"io"
	"strconv"
	"sync"
	"time"
)

// Options is how a Server differs from the usual one.
type Options struct {
	// Version is that of the server before its first write; 0 is 1.
	Version int64
	// Bookmarks is how often a watch that wants bookmarks may get one; 0 is a minute,
	// and below zero they never come unless the watch is about to end.
	Bookmarks time.Duration
	// NoStreams turns streaming lists off.
	NoStreams bool
}

const (
	// patience is how long a request waits for a version that the server has not reached.
	patience = 3 * time.Second
	// usualTimeout is how long a watch lasts whose client names no time.
	usualTimeout = 30 * time.Minute
	// farewell is how long before its end a watch gets a last bookmark.
	farewell = 2 * time.Second
)

// Server is an API server with objects of one kind.
type Server struct {
	o Options

	mu      sync.Mutex // guards everything below
	etcd    history
	cache   history
	starts  int
	streams map[*Stream]struct{}
	changed chan struct{} // closed and replaced when there may be something new
}

// New makes a server without objects.
func New(o Options) *Server {
	if o.Version == 0 {
		o.Version = 1
	}
	if o.Bookmarks == 0 {
		o.Bookmarks = time.Minute
	}
	return &Server{
		o:    o,
		etcd: newHistory(o.Version, map[string]*Object{}), cache: newHistory(o.Version, map[string]*Object{}),
		streams: map[*Stream]struct{}{}, changed: make(chan struct{}),
	}
}

func (s *Server) wakeLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Put creates an object or changes it, and returns the version of the write.
func (s *Server) Put(o *Object) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	o = o.DeepCopy()
	o.ResourceVersion = format(s.etcd.version + 1)
	return s.writeLocked(keyOf(o), o)
}

// Delete deletes an object, and returns the version of the write; 0 if there was none.
func (s *Server) Delete(namespace, name string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := namespace + "/" + name
	if s.etcd.objects[key] == nil {
		return 0
	}
	return s.writeLocked(key, nil)
}

func (s *Server) writeLocked(key string, is *Object) int64 {
	version := s.etcd.version + 1
	s.etcd.record(version, key, is)
	// A cache that is ahead of a restored etcd waits for versions that are new to it.
	if version > s.cache.version {
		s.cache.record(version, key, is)
	}
	s.wakeLocked()
	return version
}

// Skip is writes to other kinds. The cache hears of them when somebody asks for the
// newest version there is.
func (s *Server) Skip(writes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.etcd.version += writes
	s.wakeLocked()
}

// Version is that of the last write, to whatever kind.
func (s *Server) Version() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.etcd.version
}

// Objects is what there is, by namespace and name with a slash between.
func (s *Server) Objects() map[string]*Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	objects := map[string]*Object{}
	for key, o := range s.etcd.objects {
		objects[key] = o.DeepCopy()
	}
	return objects
}

// Compact has etcd forget what was before the present. The cache does not notice.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.etcd.forget(s.etcd.version)
}

// Forget has both memories forget what was before the present, as they do in time. What
// open watches have yet to send they do send.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.streams {
		st.catchUpLocked()
	}
	s.etcd.forget(s.etcd.version)
	s.progressLocked()
	s.cache.forget(s.cache.version)
}

// Restart ends all watches and starts the server again, over the same etcd.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts++
	s.cache = newHistory(s.etcd.version, s.etcd.objects)
	for st := range s.streams {
		st.endLocked()
	}
	s.wakeLocked()
}

// Backup is what etcd had at some time.
type Backup struct{ etcd history }

// Backup keeps what etcd has.
func (s *Server) Backup() *Backup {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Backup{etcd: s.etcd.clone()}
}

// Restore brings back what etcd had, versions included. The server knows nothing of it
// until it is started again.
func (s *Server) Restore(b *Backup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.etcd = b.etcd.clone()
	s.wakeLocked()
}

// progressLocked tells the cache that etcd has nothing for it up to the present.
func (s *Server) progressLocked() { s.cache.version = max(s.cache.version, s.etcd.version) }

// reachLocked waits until the cache has reached a version. It gives up the lock while it
// waits. That is the only way in which a version from the future keeps anybody waiting.
func (s *Server) reachLocked(ctx context.Context, version int64) error {
	limit, starts := time.NewTimer(patience), s.starts
	defer limit.Stop()
	for late := false; ; {
		if version > s.cache.version {
			s.progressLocked()
		}
		switch {
		case version <= s.cache.version:
			return nil
		case late:
			return tooLarge(version, s.cache.version, 1)
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-limit.C:
			late = true
		case <-ctx.Done():
		}
		s.mu.Lock()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case starts != s.starts:
			return io.ErrUnexpectedEOF
		}
	}
}

func keyOf(o *Object) string { return o.Namespace + "/" + o.Name }

func format(version int64) string { return strconv.FormatInt(version, 10) }
