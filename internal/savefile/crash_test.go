package savefile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// generation is what the n-th save has: three files, which follow from n.
func generation(n int) (all [3][]string) {
	for i := range all {
		for k := range 3 + (n+i)%4 {
			all[i] = append(all[i], fmt.Sprintf("record %d of file %d of generation %d %s", k, i, n, strings.Repeat(".", n*k%90)))
		}
	}
	return all
}

// save saves a generation.
func save(d *Dir, n int) error {
	var names []string
	for i, records := range generation(n) {
		name, err := saveFile(d, fmt.Sprint("file ", i), records)
		if err != nil {
			return err
		}
		names = append(names, name)
	}
	return d.Commit([]byte(fmt.Sprint(n, " ", strings.Join(names, " "))), names)
}

func saveFile(d *Dir, label string, records []string) (string, error) {
	w, err := d.Create(label, []byte(label))
	if err != nil {
		return "", err
	}
	defer w.Abandon()
	for _, record := range records {
		if err := w.Record([]byte(record)); err != nil {
			return "", err
		}
	}
	return w.Finish()
}

// judge returns which generation a directory has, or 0 for none, and an error if it is not
// whole.
func judge(d *Dir) (int, error) {
	manifest, err := d.Manifest()
	if errors.Is(err, ErrNone) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n, names := 0, make([]string, 3)
	if _, err := fmt.Sscan(string(manifest), &n, &names[0], &names[1], &names[2]); err != nil {
		return 0, fmt.Errorf("the manifest is %q: %w", manifest, err)
	}
	for i, want := range generation(n) {
		head, got, err := loaded(d, names[i])
		if err != nil {
			return n, fmt.Errorf("generation %d: %w", n, err)
		}
		if head != fmt.Sprint("file ", i) || !slices.Equal(got, want) {
			return n, fmt.Errorf("generation %d: file %d has header %q and records %q, want %q", n, i, head, got, want)
		}
	}
	return n, nil
}

// world is a disk, and what was saved on it.
type world struct {
	*hardware
	opts      Options
	committed int // the last generation that must be there
	attempted int // the last that may be
}

func newWorld(rng *rand.Rand, opts Options) *world {
	w := &world{hardware: newHardware(rng), opts: opts}
	w.put("notes.txt", []byte("not ours"))
	return w
}

// live is a process that saves until it dies.
func (w *world) live(t *testing.T, p *process) {
	d, err := open(p, "/saved", w.opts)
	if p.locked && err != nil && !p.dead {
		t.Fatalf("after %v the directory is locked", err)
	}
	if err != nil {
		return
	}
	d.block = 64
	for range 10 {
		w.attempted++
		err := save(d, w.attempted)
		if err == nil {
			w.committed = w.attempted
		} else if w.rng.IntN(2) == 0 {
			_ = d.Sweep()
		}
		w.checkBytes(t, p, d)
		if p.dead {
			break
		}
	}
	if w.rng.IntN(2) == 0 {
		_ = d.Close()
	}
}

// checkBytes holds what a Dir counts to what is there.
func (w *world) checkBytes(t *testing.T, p *process, d *Dir) {
	used := int64(0)
	for name, file := range w.now {
		if name != "notes.txt" {
			used += int64(len(file.now))
		}
	}
	exactly := p.faults == 0 && !p.dead
	if used > d.used || exactly && used != d.used {
		t.Fatalf("%d bytes are in use, the Dir counts %d", used, d.used)
	}
	if w.opts.MaxBytes > 0 && used > w.opts.MaxBytes {
		t.Fatalf("%d bytes are in use, and %d are allowed", used, w.opts.MaxBytes)
	}
}

// crash ends what a process does, and holds what it leaves to what it has promised. It looks at a copy:
// to open a directory changes it.
func (w *world) crash(t *testing.T, p *process) {
	p.die()
	lost := w.rng.IntN(2) == 0
	if lost {
		w.loseThePower()
	}
	d, err := open(&process{hardware: w.clone(), fuse: -1}, "/saved", w.opts)
	if err != nil {
		t.Fatalf("open what a crash has left: %v", err)
	}
	n, err := judge(d)
	if err != nil {
		t.Fatalf("after a crash (power lost: %v): %v", lost, err)
	}
	if n < w.committed || n > w.attempted {
		t.Fatalf("after a crash (power lost: %v) there is generation %d, want one from %d to %d", lost, n, w.committed, w.attempted)
	}
	if lost {
		w.committed = n
	}
	if f := w.now["notes.txt"]; f == nil || string(f.now) != "not ours" {
		t.Fatal("a file that is not ours is gone")
	}
}

// TestCrashes has each seed live and crash again and again. In some lives, the disk fails
// now and then; in some worlds, there is little room.
func TestCrashes(t *testing.T) {
	saves := 0
	seeds.Run(t, 60, func(t *testing.T, rng *rand.Rand) {
		opts := Options{Key: [][]byte{nil, key}[rng.IntN(2)], MaxBytes: []int64{0, 0, 3500}[rng.IntN(3)]}
		w := newWorld(rng, opts)
		for range 10 {
			p := &process{hardware: w.hardware, fuse: rng.IntN(150), faults: []float64{0, 0.02, 0.1}[rng.IntN(3)]}
			w.live(t, p)
			w.crash(t, p)
		}
		saves += w.committed
	})
	if saves == 0 && seeds.Count(t, 1) > 0 {
		t.Error("nothing was ever saved")
	}
}

// TestACrashAtEachMoment dies at each operation of a first and a second save.
func TestACrashAtEachMoment(t *testing.T) {
	seeds.RunHeavy(t, 5, func(t *testing.T, rng *rand.Rand) {
		for fuse, survived := 0, false; !survived; fuse++ {
			w := newWorld(rng, Options{})
			p := &process{hardware: w.hardware, fuse: fuse}
			w.live(t, p)
			survived = w.committed >= 2
			w.crash(t, p)
		}
	})
}

// TestAKilledProcessIsFollowedByALossOfPower has a process die at each operation of its second save, and
// the next one at any operation of Open. The second must not trust its eyes: a manifest that it
// sees may not last yet.
func TestAKilledProcessIsFollowedByALossOfPower(t *testing.T) {
	const opening = 12 // operations, or some more
	seeds.RunHeavy(t, 8, func(t *testing.T, rng *rand.Rand) {
		for fuse, survived := 0, false; !survived; fuse++ {
			w := newWorld(rng, Options{})
			p := &process{hardware: w.hardware, fuse: -1}
			d, err := open(p, "/saved", w.opts)
			if err == nil {
				err = save(d, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.committed, w.attempted, p.fuse = 1, 2, fuse
			survived = save(d, 2) == nil
			p.die()
			next := &process{hardware: w.hardware, fuse: rng.IntN(opening)}
			_, _ = open(next, "/saved", w.opts)
			next.die()
			w.loseThePower()
			w.crash(t, next)
		}
	})
}
