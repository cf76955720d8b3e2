package savefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// labels are those of the files that a save has.
var labels = [3]string{"file 0", "file 1", "file 2"}

// generation is what the n-th save has in a file. It follows from n.
func generation(n, i int) (records []string) {
	for k := range 3 + (n+i)%4 {
		records = append(records, fmt.Sprintf("record %d of file %d of generation %d %s", k, i, n, strings.Repeat(".", n*k%90)))
	}
	return records
}

// save saves a generation. It goes on after an error, and returns all.
func save(d *Dir, n int) (all error) {
	for i := range labels {
		all = errors.Join(all, saveOne(d, n, i))
	}
	return all
}

func saveOne(d *Dir, n, i int) error {
	return saveFile(d, labels[i], fmt.Sprint(n), generation(n, i))
}

func saveFile(d *Dir, label, head string, records []string) error {
	w, err := d.Create(label, []byte(head))
	if err != nil {
		return err
	}
	defer w.Abandon()
	for _, record := range records {
		if err := w.Record([]byte(record)); err != nil {
			return err
		}
	}
	return w.Finish()
}

// judge returns which generation each file has, or 0 for none, and an error if one is not whole.
func judge(d *Dir) (has [3]int, all error) {
	for i, label := range labels {
		head, got, err := loaded(d, fileName(label))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			_, err = fmt.Sscan(head, &has[i])
		}
		if err == nil && !slices.Equal(got, generation(has[i], i)) {
			err = fmt.Errorf("it has header %q and records %q", head, got)
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("%s: %w", label, err))
		}
	}
	return has, all
}

// world is a disk, and what was saved on it.
type world struct {
	*hardware
	opts      Options
	saved     [3]int // the last generation of each file that must be there
	attempted int    // the last that may be
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
		w.saveAll(d)
		if p.dead {
			break
		}
	}
	if w.rng.IntN(2) == 0 {
		_ = d.Close()
	}
	if w.opts.MaxBytes > 0 && w.most > w.opts.MaxBytes {
		t.Fatalf("%d bytes were in use, and %d are allowed", w.most, w.opts.MaxBytes)
	}
}

// saveAll saves the next generation, and notes which files have it for certain.
func (w *world) saveAll(d *Dir) {
	w.attempted++
	for i := range labels {
		if saveOne(d, w.attempted, i) == nil {
			w.saved[i] = w.attempted
		}
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
	copied := w.clone()
	d, err := open(&process{hardware: copied, fuse: -1}, "/saved", w.opts)
	if err != nil {
		t.Fatalf("open what a crash has left: %v", err)
	}
	has, err := judge(d)
	if err != nil {
		t.Fatalf("after a crash (power lost: %v): %v", lost, err)
	}
	for i, n := range has {
		if n < w.saved[i] || n > w.attempted {
			t.Fatalf("after a crash (power lost: %v) file %d has generation %d, want one from %d to %d", lost, i, n, w.saved[i], w.attempted)
		}
	}
	if lost {
		w.saved = has
	}
	for name := range copied.now {
		if name != "notes.txt" && !slices.ContainsFunc(labels[:], func(label string) bool { return name == fileName(label) }) {
			t.Fatalf("after a crash (power lost: %v) Open leaves %s", lost, name)
		}
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
		saves += slices.Max(w.saved[:])
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
			survived = slices.Min(w.saved[:]) >= 2
			w.crash(t, p)
		}
	})
}

// once is a process that has saved once.
func (w *world) once(t *testing.T) (*process, *Dir) {
	t.Helper()
	p := &process{hardware: w.hardware, fuse: -1}
	d, err := open(p, "/saved", w.opts)
	must(t, err)
	w.saveAll(d)
	return p, d
}

// TestAKilledProcessIsFollowedByALossOfPower has a process die at each operation of its second save, and
// the next one at any operation of Open and of a third. A process may see files that do not last yet.
func TestAKilledProcessIsFollowedByALossOfPower(t *testing.T) {
	const opening = 24 // operations, or some more
	seeds.RunHeavy(t, 8, func(t *testing.T, rng *rand.Rand) {
		for fuse, survived := 0, false; !survived; fuse++ {
			w := newWorld(rng, Options{})
			p, d := w.once(t)
			p.fuse = fuse
			w.saveAll(d)
			survived = !p.dead
			p.die()
			next := &process{hardware: w.hardware, fuse: rng.IntN(opening)}
			if d, err := open(next, "/saved", w.opts); err == nil {
				w.saveAll(d)
			}
			next.die()
			w.loseThePower()
			w.crash(t, next)
		}
	})
}

// TestACrashWhileFilesAreRemoved sees that a file that is kept stays, and that the others are there as they were or gone: for
// good, once Keep has said so.
func TestACrashWhileFilesAreRemoved(t *testing.T) {
	seeds.RunHeavy(t, 8, func(t *testing.T, rng *rand.Rand) {
		for fuse, survived := 0, false; !survived; fuse++ {
			w := newWorld(rng, Options{})
			p, d := w.once(t)
			p.fuse = fuse
			survived = d.Keep(labels[1]) == nil
			p.die()
			w.loseThePower()
			d, err := open(&process{hardware: w.hardware, fuse: -1}, "/saved", w.opts)
			must(t, err)
			has, err := judge(d)
			if err != nil || has[1] != 1 || survived && has != [3]int{0, 1, 0} {
				t.Fatalf("all was removed: %v, the files have generations %v (error %v)", survived, has, err)
			}
		}
	})
}
