package savefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestMaxBytesAreKeptTo replaces a file where there is room for both, and where a few bytes or one are missing.
func TestMaxBytesAreKeptTo(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		path := t.TempDir()
		d := opened(t, path, opts)
		other, name := savedAs(t, d, "other", ""), saved(t, d, "head", sample...)
		used, err := d.tidy()
		must(t, err)
		one := size(t, path, name)
		if used != one+size(t, path, other) {
			t.Errorf("%d bytes are counted", used)
		}
		before := listed(t, path)
		for room := one; room >= 0; room -= min(23, max(room, 1)) {
			for _, exactly := range []int64{room, room - 1} {
				must(t, d.Close())
				opts.MaxBytes = used + exactly
				d = opened(t, path, opts)
				err := saveFile(d, "things.v1", "head", sample)
				if exactly == one {
					if err != nil {
						t.Errorf("there was room: %v", err)
					}
				} else if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), fmt.Sprintf("but %d are allowed", opts.MaxBytes)) {
					t.Fatalf("with %d bytes left, the error is %v", exactly, err)
				}
				if got := listed(t, path); !slices.Equal(got, before) {
					t.Fatalf("with %d bytes left, the directory has %q, want %q", exactly, got, before)
				}
				if _, got, err := loaded(d, name); err != nil || !slices.Equal(got, sample) {
					t.Fatalf("the records are %q (error %v)", got, err)
				}
			}
		}
		if err := d.Keep(); err != nil {
			t.Errorf("nothing can be thrown away: %v", err)
		}
	})
}

// size is how many bytes a file has.
func size(t *testing.T, path, name string) int64 {
	t.Helper()
	sizes, err := system{}.list(path)
	must(t, err)
	return sizes[name]
}

// TestAFullFileStaysFull has each later call fail, and Finish leave nothing.
func TestAFullFileStaysFull(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{MaxBytes: 4000})
	w, err := d.Create("things", nil)
	must(t, err)
	for err == nil {
		err = w.Record(slices.Repeat([]byte(newTemporary("x")), 20_000))
	}
	for _, err := range []error{err, w.Record(nil), w.Finish()} {
		if !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), path) {
			t.Errorf("the error is %v, want one that says that the directory is full", err)
		}
	}
	if got := listed(t, path); len(got) > 0 {
		t.Errorf("%q are left", got)
	}
	saved(t, d, "head", "there is room again")
}

func TestWhatIsAbandonedIsGone(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	w, err := d.Create("things", nil)
	must(t, err)
	w.Abandon()
	w.Abandon()
	if err := w.Record(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("an abandoned file takes a record: %v", err)
	}
	if err := w.Finish(); !errors.Is(err, ErrClosed) {
		t.Errorf("an abandoned file can be finished: %v", err)
	}
	if got := listed(t, path); len(got) > 0 {
		t.Errorf("%q are left", got)
	}
	w, err = d.Create("things", nil)
	if err == nil {
		err = w.Finish()
	}
	must(t, err)
	w.Abandon()
	if got := listed(t, path); len(got) != 1 {
		t.Errorf("after Finish and Abandon there are %q, want the file", got)
	}
}

func TestTooLong(t *testing.T) {
	d := opened(t, t.TempDir(), Options{})
	if _, err := d.Create("things", make([]byte, maxRecord+1)); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a header that is too long: %v", err)
	}
	w, err := d.Create("things", make([]byte, blockSize))
	must(t, err)
	defer w.Abandon()
	for _, err := range []error{w.Record(make([]byte, maxRecord+1)), w.Record([]byte("short")), w.Finish()} {
		if err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("a record that is too long: %v", err)
		}
	}
}

func TestLabelsBecomeNames(t *testing.T) {
	for label, want := range map[string]string{
		"pods.v1": "pods.v1", "": "_", "../../etc": "_._.._etc", ".hidden": "_hidden", "Ä b/c\\d-e\x00": "__b_c_d_e_", strings.Repeat("x", 99): strings.Repeat("x", 64),
	} {
		name, unfinished := fileName(label), newTemporary(label)
		if !strings.HasPrefix(name, want+"-") || !isFile(name) || isLeftover(name) || name != fileName(label) {
			t.Errorf("label %q becomes %s, want %s-…", label, name, want)
		}
		if !strings.HasPrefix(unfinished, want+"-") || !isLeftover(unfinished) || isFile(unfinished) || unfinished == newTemporary(label) {
			t.Errorf("label %q becomes %s until it is finished", label, unfinished)
		}
	}
	if long := strings.Repeat("x", 99); fileName(long) == fileName(long+"x") || fileName("a/b") == fileName("a_b") {
		t.Error("two labels have one file")
	}
}

func TestBadOptions(t *testing.T) {
	for want, opts := range map[string]Options{
		"the key has 0 bytes":  {Key: []byte{}},
		"the key has 31 bytes": {Key: key[:31]},
		"MaxBytes is -1":       {MaxBytes: -1},
	} {
		_, written := Open(t.TempDir(), opts)
		_, read := OpenToRead(t.TempDir(), opts)
		for _, err := range []error{written, read} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want one with %q", err, want)
			}
		}
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
	must(t, err)
	if err := w.Finish(); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close, a file is finished: %v", err)
	}
	if got := listed(t, path); len(got) > 0 {
		t.Errorf("%q are left", got)
	}
}

// TestPlacesThatCanNotBeUsed has errors that say what we were doing, to what, and why.
func TestPlacesThatCanNotBeUsed(t *testing.T) {
	asNobody(t, func(home string) {
		file, closed := filepath.Join(home, "file"), filepath.Join(home, "closed")
		for _, err := range []error{os.WriteFile(file, nil, 0o600), os.Mkdir(closed, 0o500)} {
			must(t, err)
		}
		for path, want := range map[string]error{
			file: syscall.ENOTDIR, filepath.Join(file, "below"): syscall.ENOTDIR,
			closed: fs.ErrPermission, filepath.Join(closed, "below"): fs.ErrPermission,
		} {
			_, err := Open(path, Options{})
			if !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
				t.Errorf("to open %s, the error is %v, want one with %v", path, err, want)
			}
		}
	})
}

// TestADirectoryThatIsClosedLater takes the right to write away, and then gives it back.
func TestADirectoryThatIsClosedLater(t *testing.T) {
	asNobody(t, func(home string) {
		path := filepath.Join(home, "saved")
		d := opened(t, path, Options{})
		must(t, save(d, 1))
		w, err := d.Create("open", nil)
		must(t, err)
		chmod(t, path, 0o500)
		finished := w.Finish()
		_, created := d.Create("late", nil)
		for _, err := range []error{finished, created, d.Keep()} {
			if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), path) {
				t.Errorf("the error is %v, want one that says that %s can't be written", err, path)
			}
		}
		if has, err := judge(d); has != [3]int{1, 1, 1} || err != nil {
			t.Errorf("the files have generations %v (error %v)", has, err)
		}
		chmod(t, path, 0)
		if _, err := d.Open(labels[0]); !errors.Is(err, fs.ErrPermission) || isRefused(err) {
			t.Errorf("in a directory that can't be read, the error is %v", err)
		}
		chmod(t, path, 0o700)
		if err := save(d, 2); err != nil {
			t.Error(err)
		}
		if has, err := judge(d); has != [3]int{2, 2, 2} || err != nil {
			t.Errorf("the files have generations %v (error %v)", has, err)
		}
		if got := listed(t, path); len(got) != 3 {
			t.Errorf("what could not be removed before is there by now: %q", got)
		}
	})
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	must(t, os.Chmod(path, mode))
}

// brokenFile can't be read to its end.
type brokenFile struct{ system }

func (brokenFile) open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(f, 200), errorReader{}), f}, err
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, syscall.EIO }

func TestADiskThatCanNotBeRead(t *testing.T) {
	d := opened(t, t.TempDir(), Options{})
	name := saved(t, d, "head", newTemporary("random"), newTemporary("random"), newTemporary("random"))
	d.disk = brokenFile{}
	if _, _, err := loaded(d, name); !isRefused(err) || !errors.Is(err, syscall.EIO) {
		t.Errorf("the error is %v, want one that says what the system said", err)
	}
}
