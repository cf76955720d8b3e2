package savefile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestMaxBytesAreKeptTo fills a directory to the last byte, and finds room again.
func TestMaxBytesAreKeptTo(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		path := t.TempDir()
		d := opened(t, path, opts)
		name := saved(t, d, "head", sample...)
		if err := d.Commit([]byte("all is well"), []string{name}); err != nil {
			t.Fatal(err)
		}
		before := listed(t, path)
		for room := int64(0); room < 600; room += 23 {
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			opts.MaxBytes = d.used + room
			d = opened(t, path, opts)
			err := save(d, 1)
			if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), fmt.Sprintf("but %d are allowed", opts.MaxBytes)) {
				t.Fatalf("with %d bytes left, the error is %v", room, err)
			}
			if err := d.Sweep(); err != nil {
				t.Fatal(err)
			}
			if got := listed(t, path); !slices.Equal(got, before) {
				t.Fatalf("with %d bytes left, the directory has %q, want %q", room, got, before)
			}
			if manifest, err := d.Manifest(); err != nil || string(manifest) != "all is well" {
				t.Fatalf("the manifest is %q (error %v)", manifest, err)
			}
		}
		if err := d.Commit(nil, nil); err != nil {
			t.Errorf("nothing can be thrown away: %v", err)
		}
	})
}

// TestAFullFileStaysFull has each later call fail, and Finish leave nothing.
func TestAFullFileStaysFull(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{MaxBytes: 4000})
	w, err := d.Create("things", nil)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = w.Record(slices.Repeat([]byte(newName("x")), 20_000))
	}
	for _, err := range []error{err, w.Record(nil), second(w.Finish())} {
		if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), path) {
			t.Errorf("the error is %v, want one that says that the directory is full", err)
		}
	}
	if got := listed(t, path); len(got) > 0 || d.used != 0 {
		t.Errorf("%q are left, and %d bytes in use", got, d.used)
	}
}

func second(_ string, err error) error { return err }

func TestWhatIsAbandonedIsGone(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	w, err := d.Create("things", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Abandon()
	w.Abandon()
	if err := w.Record(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("an abandoned file takes a record: %v", err)
	}
	if _, err := w.Finish(); !errors.Is(err, ErrClosed) {
		t.Errorf("an abandoned file can be finished: %v", err)
	}
	if got := listed(t, path); len(got) > 0 || d.used != 0 {
		t.Errorf("%q are left, and %d bytes in use", got, d.used)
	}
	w, err = d.Create("things", nil)
	if err == nil {
		_, err = w.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Abandon()
	if got := listed(t, path); len(got) != 1 {
		t.Errorf("after Finish and Abandon there are %q, want the file", got)
	}
}

func TestTooLong(t *testing.T) {
	d := opened(t, t.TempDir(), Options{})
	if _, err := d.Create("things", make([]byte, blockSize+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("a header of more than a block: %v", err)
	}
	w, err := d.Create(strings.Repeat("../ä", 100), make([]byte, blockSize))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	if err := w.Record(make([]byte, maxRecord+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("a record that is too long: %v", err)
	}
	if err := w.Record([]byte("short")); err != nil {
		t.Errorf("after a record that was too long: %v", err)
	}
	name, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if _, got, err := loaded(d, name); err != nil || !slices.Equal(got, []string{"short"}) {
		t.Errorf("the records are %q (error %v)", got, err)
	}
}

func TestLabelsBecomeNames(t *testing.T) {
	for label, want := range map[string]string{
		"pods.v1": "pods.v1", "": "_", "../../etc": "_._.._etc", ".hidden": "_hidden", "Ä b/c\\d-e\x00": "__b_c_d_e_", strings.Repeat("x", 99): strings.Repeat("x", 64),
	} {
		name := newName(label)
		if !strings.HasPrefix(name, want+"-") || !isFile(name) || !isLeftover(name+temporary) {
			t.Errorf("label %q becomes %s, want %s-…", label, name, want)
		}
	}
}

func TestOnlyFinishedFilesAreKept(t *testing.T) {
	d := opened(t, t.TempDir(), Options{})
	if err := d.Commit([]byte("old"), nil); err != nil {
		t.Fatal(err)
	}
	w, err := d.Create("things", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	for _, name := range []string{"", newName("things"), manifestName, lockName, "../" + newName("things"), w.name, w.name + temporary} {
		if err := d.Commit([]byte("new"), []string{name}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("keep %q", name)) {
			t.Errorf("to keep %q, the error is %v", name, err)
		}
		if _, err := d.Open(name); !isRefused(err) {
			t.Errorf("to open %q, the error is %v", name, err)
		}
	}
	if manifest, err := d.Manifest(); err != nil || string(manifest) != "old" {
		t.Errorf("the manifest is %q (error %v)", manifest, err)
	}
}

func TestBadOptions(t *testing.T) {
	for want, opts := range map[string]Options{
		"the key has 0 bytes":  {Key: []byte{}},
		"the key has 31 bytes": {Key: key[:31]},
		"MaxBytes is -1":       {MaxBytes: -1},
	} {
		if _, err := Open(t.TempDir(), opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one with %q", err, want)
		}
	}
}

// TestManyWritersAtOnce is for the race detector, too.
func TestManyWritersAtOnce(t *testing.T) {
	d := opened(t, t.TempDir(), Options{MaxBytes: 1 << 20})
	names := make([]string, 8)
	var all sync.WaitGroup
	for i := range names {
		all.Go(func() {
			names[i], _ = saveFile(d, "things", sample)
			w, err := d.Create("others", nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Abandon()
			if err := d.Commit(nil, nil); err != nil && !errors.Is(err, ErrBusy) {
				t.Error(err)
			}
			if err := w.Record([]byte("more")); err != nil {
				t.Error(err)
			}
			names[i], err = w.Finish()
			if err != nil {
				t.Error(err)
			}
			if _, _, err := loaded(d, names[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	last := saved(t, d, "head", sample...)
	if err := d.Commit([]byte("last"), []string{last}); err != nil {
		t.Fatal(err)
	}
	if _, got, err := loaded(d, last); err != nil || !slices.Equal(got, sample) {
		t.Errorf("the records are %q (error %v)", got, err)
	}
	if got := listed(t, d.path); len(got) != 2 {
		t.Errorf("the directory has %q, want a file and the manifest", got)
	}
}

// nosyDisk calls somebody in the middle of a commit.
type nosyDisk struct {
	system
	renamed func()
}

func (n nosyDisk) rename(from, to string) error {
	n.renamed()
	return n.system.rename(from, to)
}

func TestACommitIsNotInterrupted(t *testing.T) {
	d := opened(t, t.TempDir(), Options{})
	calls := 0
	d.disk = nosyDisk{renamed: func() {
		calls++
		if commit, sweep := d.Commit([]byte("inner"), nil), d.Sweep(); !errors.Is(commit, ErrBusy) || !errors.Is(sweep, ErrBusy) {
			t.Errorf("in the middle of a commit, Commit says %v and Sweep %v", commit, sweep)
		}
	}}
	for range 2 {
		if err := d.Commit([]byte("outer"), nil); err != nil {
			t.Fatal(err)
		}
	}
	if manifest, err := d.Manifest(); string(manifest) != "outer" || err != nil || calls != 2 {
		t.Errorf("the manifest is %q (error %v) after %d commits", manifest, err, calls)
	}
}

// TestNothingIsFinishedAfterClose has somebody else own the directory by then.
func TestNothingIsFinishedAfterClose(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	w, err := d.Create("things", nil)
	if err == nil {
		err = errors.Join(w.Record([]byte("early")), d.Close(), d.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close, a file is finished: %v", err)
	}
	if got := listed(t, path); len(got) > 0 {
		t.Errorf("%q are left", got)
	}
}
