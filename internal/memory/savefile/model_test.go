package savefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
)

// hardware is a model of a disk with one directory. It promises what a system promises, and
// not a bit more: the content of a file lasts once it is synced, a name once the directory is.
// Until then each name has any of the files that it has had, whatever became of others.
type hardware struct {
	rng    *rand.Rand
	now    map[string]*inode   // what processes see
	since  map[string][]*inode // since the directory was synced: what each name has been; nil is for none
	most   int64               // bytes that the files have had when one was written
	locked bool
}

// inode is the content of a file.
type inode struct {
	now, lasting []byte
	lost         bool // a sync has failed: nobody knows what lasts, also if the next one succeeds
}

func newHardware(rng *rand.Rand) *hardware {
	return &hardware{rng: rng, now: map[string]*inode{}, since: map[string][]*inode{}}
}

// put has a file that lasts.
func (h *hardware) put(name string, content []byte) {
	h.now[name] = &inode{now: content, lasting: content}
	delete(h.since, name)
}

// set gives a name another file, or none.
func (h *hardware) set(name string, file *inode) {
	if _, changed := h.since[name]; !changed {
		h.since[name] = []*inode{h.now[name]}
	}
	h.since[name] = append(h.since[name], file)
	if h.now[name] = file; file == nil {
		delete(h.now, name)
	}
}

// loseThePower leaves what lasts, and some of the rest.
func (h *hardware) loseThePower() {
	for name, files := range h.since {
		if h.now[name] = files[h.rng.IntN(len(files))]; h.now[name] == nil {
			delete(h.now, name)
		}
	}
	h.since = map[string][]*inode{}
	for _, name := range slices.Sorted(maps.Keys(h.now)) {
		h.tear(h.now[name])
	}
}

// tear leaves some of what was written since the last sync.
func (h *hardware) tear(file *inode) {
	if file.lost || !bytes.Equal(file.now, file.lasting) {
		torn := make([]byte, h.rng.IntN(len(file.now)+1))
		for i := 0; i < len(torn); {
			n := min(1+h.rng.IntN(64), len(torn)-i)
			switch from := h.rng.IntN(3); {
			case from == 0:
				copy(torn[i:i+n], file.now[i:])
			case from == 1 && i < len(file.lasting):
				copy(torn[i:i+n], file.lasting[i:])
			}
			i += n
		}
		file.now = torn
	}
	file.lasting, file.lost = file.now, false
}

// measure notes how many bytes the files have that Create makes.
func (h *hardware) measure() {
	sum := int64(0)
	for name, file := range h.now {
		if isFile(name) || isLeftover(name) {
			sum += int64(len(file.now))
		}
	}
	h.most = max(h.most, sum)
}

func (h *hardware) clone() *hardware {
	c := &hardware{rng: h.rng, now: map[string]*inode{}, since: map[string][]*inode{}}
	for name, file := range h.now {
		c.now[name] = &inode{now: slices.Clone(file.now), lasting: slices.Clone(file.lasting), lost: file.lost}
	}
	return c
}

// process is a disk as one process sees it, until it dies.
type process struct {
	*hardware
	fuse   int // operations until the process dies; negative means that it does not
	faults float64
	dead   bool
}

var errDead, errFault = errors.New("the process is dead"), errors.New("the disk has failed")

// step is an operation. It returns an error, and whether the operation took place.
func (p *process) step() (takesPlace bool, err error) {
	if p.dead {
		return false, errDead
	}
	if p.fuse == 0 {
		p.die()
		return p.rng.IntN(2) == 0, errDead
	}
	p.fuse--
	if p.rng.Float64() < p.faults {
		return p.rng.IntN(2) == 0, errFault
	}
	return true, nil
}

func (p *process) die() { p.dead, p.locked = true, false }

func (p *process) create(path string) (file, error) {
	takesPlace, err := p.step()
	if _, there := p.now[filepath.Base(path)]; there {
		return nil, fs.ErrExist
	}
	f := &inode{}
	if takesPlace {
		p.set(filepath.Base(path), f)
	}
	return &handle{p, f}, err
}

func (p *process) open(path string) (io.ReadCloser, error) {
	if _, err := p.step(); err != nil {
		return nil, err
	}
	f, there := p.now[filepath.Base(path)]
	if !there {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(slices.Clone(f.now))), nil
}

func (p *process) rename(from, to string) error {
	takesPlace, err := p.step()
	f, there := p.now[filepath.Base(from)]
	if !there {
		return fs.ErrNotExist
	}
	if takesPlace {
		p.set(filepath.Base(to), f)
		p.set(filepath.Base(from), nil)
	}
	return err
}

func (p *process) remove(path string) error {
	takesPlace, err := p.step()
	if _, there := p.now[filepath.Base(path)]; !there {
		return fs.ErrNotExist
	}
	if takesPlace {
		p.set(filepath.Base(path), nil)
	}
	return err
}

func (p *process) make(string) error { _, err := p.step(); return err }

func (p *process) list(string) (map[string]int64, error) {
	sizes := map[string]int64{}
	for name, f := range p.now {
		sizes[name] = int64(len(f.now))
	}
	_, err := p.step()
	return sizes, err
}

func (p *process) sync(string) error {
	_, err := p.step()
	if err == nil {
		p.since = map[string][]*inode{}
	}
	return err
}

func (p *process) lock(string) (io.Closer, error) {
	if _, err := p.step(); err != nil {
		return nil, err
	}
	if p.locked {
		return nil, ErrLocked
	}
	p.locked = true
	return unlocker{p}, nil
}

type unlocker struct{ *process }

func (u unlocker) Close() error { u.locked = u.locked && u.dead; return nil }

// handle is a file that a process writes.
type handle struct {
	*process
	file *inode
}

func (h *handle) Write(b []byte) (int, error) {
	n := len(b)
	takesPlace, err := h.step()
	if err != nil && takesPlace {
		n = h.rng.IntN(len(b) + 1)
	}
	if !takesPlace {
		n = 0
	}
	h.file.now = append(h.file.now[:len(h.file.now):len(h.file.now)], b[:n]...)
	h.measure()
	return n, err
}

func (h *handle) Sync() error {
	_, err := h.step()
	switch {
	case err == nil:
		h.file.lasting = h.file.now
	case !h.dead:
		h.file.lost = true
	}
	return err
}

func (h *handle) Close() error {
	_, err := h.step()
	return err
}
