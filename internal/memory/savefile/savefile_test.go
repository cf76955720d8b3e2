package savefile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

var key = []byte("0123456789abcdef0123456789abcdef")

// both plays a test with a key and without.
func both(t *testing.T, test func(t *testing.T, opts Options)) {
	t.Run("checksums", func(t *testing.T) { test(t, Options{}) })
	t.Run("key", func(t *testing.T) { test(t, Options{Key: key}) })
}

func opened(t testing.TB, path string, opts Options) *Dir {
	t.Helper()
	d, err := Open(path, opts)
	must(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// saved writes a file.
func saved(t testing.TB, d *Dir, head string, records ...string) string {
	t.Helper()
	return savedAs(t, d, "things.v1", append([]string{head}, records...)...)
}

// savedAs writes the file of a label: its header, and its records. It returns its name.
func savedAs(t testing.TB, d *Dir, label string, content ...string) string {
	t.Helper()
	must(t, saveFile(d, label, content[0], content[1:]))
	return fileName(label)
}

// loaded reads a file as far as it goes. The error is nil if it is whole.
func loaded(d *Dir, name string) (head string, records []string, err error) {
	r, err := d.read(name)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	head = string(r.Header())
	for {
		record, err := r.Next()
		if errors.Is(err, io.EOF) {
			return head, records, nil
		}
		if err != nil {
			return head, records, err
		}
		records = append(records, string(record))
	}
}

func listed(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, entry := range entries {
		if entry.Name() != lockName {
			names = append(names, entry.Name())
		}
	}
	return names
}

// TestWhatIsSavedIsLoaded plays records of all lengths around that of a block, which
// compress well or not at all.
func TestWhatIsSavedIsLoaded(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		d := opened(t, t.TempDir(), opts)
		seeds.RunHeavy(t, 30, func(t *testing.T, rng *rand.Rand) {
			d.block = []int{30, 100, 1000, blockSize}[rng.IntN(4)]
			var want []string
			for range rng.IntN(20) {
				b := make([]byte, rng.IntN(2*rng.IntN(2*d.block)+1))
				if rng.IntN(2) == 0 {
					for i := range b {
						b[i] = byte(rng.Uint32())
					}
				}
				want = append(want, string(b))
			}
			name := saved(t, d, "head", want...)
			head, got, err := loaded(d, name)
			if err != nil || head != "head" || !slices.Equal(got, want) {
				t.Errorf("%d records and header %q were loaded with error %v, want the %d that were saved", len(got), head, err, len(want))
			}
		})
	})
}

// TestALabelHasOneFile replaces files, opens the directory again in between, and removes one at last.
func TestALabelHasOneFile(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		path := filepath.Join(t.TempDir(), "new", "place")
		d := opened(t, path, opts)
		if _, err := d.Open("a"); !errors.Is(err, fs.ErrNotExist) || isRefused(err) {
			t.Errorf("in an empty directory, the error is %v", err)
		}
		for _, head := range []string{"first", "", strings.Repeat("long ", blockSize/5)} {
			a, b := savedAs(t, d, "a", head, head, "2"), savedAs(t, d, "b", head)
			must(t, d.Close())
			d = opened(t, path, opts)
			if got, want := listed(t, path), slices.Sorted(slices.Values([]string{a, b})); !slices.Equal(got, want) {
				t.Errorf("the directory has %q, want %q", got, want)
			}
			r, err := d.Open("a")
			must(t, err)
			if got := string(r.Header()); got != head || r.Close() != nil {
				t.Errorf("the header has %d bytes, want %d", len(got), len(head))
			}
			if _, records, err := loaded(d, a); err != nil || !slices.Equal(records, []string{head, "2"}) {
				t.Errorf("%d records are there (error %v)", len(records), err)
			}
		}
		must(t, d.Keep("b", "c"))
		if got := listed(t, path); !slices.Equal(got, []string{fileName("b")}) {
			t.Errorf("the directory has %q", got)
		}
	})
}

// TestAReaderNeedsNoLock reads what another process has, while that replaces it, and can write nothing.
func TestAReaderNeedsNoLock(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		path := t.TempDir()
		d := opened(t, path, opts)
		name := saved(t, d, "old", sample...)
		reads, err := OpenToRead(path, opts)
		must(t, err)
		r, err := reads.Open("things.v1")
		must(t, err)
		w, err := d.Create("things.v1", []byte("new"))
		must(t, err)
		defer w.Abandon()
		if head, _, err := loaded(reads, name); head != "old" || err != nil {
			t.Errorf("while another one is written, the header is %q (error %v)", head, err)
		}
		must(t, w.Finish())
		if head, _, err := loaded(reads, name); head != "new" || err != nil {
			t.Errorf("the header is %q (error %v) by now", head, err)
		}
		if first, err := r.Next(); string(first) != sample[0] || err != nil || r.Close() != nil {
			t.Errorf("who has the old one open reads %q (error %v)", first, err)
		}
		if _, err := reads.Create("things.v1", nil); !errors.Is(err, ErrClosed) {
			t.Errorf("to write, the error is %v", err)
		}
		if err := reads.Keep(); !errors.Is(err, ErrClosed) {
			t.Errorf("to remove, the error is %v", err)
		}
		if err := reads.Close(); err != nil || len(listed(t, path)) != 1 {
			t.Errorf("after Close (error %v) there are %q", err, listed(t, path))
		}
	})
}

func isRefused(err error) bool { return errors.Is(err, ErrRefused) }

func TestOnlyTheOwnerMayRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	d := opened(t, path, Options{})
	name := saved(t, d, "")
	w, err := d.Create("unfinished", nil)
	must(t, err)
	defer w.Abandon()
	want := map[string]os.FileMode{".": 0o700, name: 0o600, lockName: 0o600, filepath.Base(w.temporary): 0o600}
	for name, want := range want {
		if info, err := os.Stat(filepath.Join(path, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v (error %v), want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestADirectoryHasOneUser(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	if _, err := Open(path, Options{}); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("opened twice, the error is %v", err)
	}
	must(t, d.Close())
	opened(t, path, Options{})
	if _, err := d.Create("late", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close, Create says %v", err)
	}
	if err := d.Keep(); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close, Keep says %v", err)
	}
}

// TestTidyingUp has files of all kinds lie about: only ours that nobody needs go.
func TestTidyingUp(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	kept, old := savedAs(t, d, "kept", ""), savedAs(t, d, "old", "")
	foreign := []string{"notes.txt", "x.tmp", "x.save", "x.save.tmp", kept + ".bak", "-" + old[1:], "my " + old, "my " + old + temporary}
	for _, name := range append(foreign, newTemporary("unfinished")) {
		must(t, os.WriteFile(filepath.Join(path, name), []byte("mine"), 0o600))
	}
	folder := newTemporary("folder")
	must(t, os.Mkdir(filepath.Join(path, folder), 0o700))
	expect := func(step string, want ...string) {
		t.Helper()
		want = append(want, append(foreign, folder)...)
		slices.Sort(want)
		if got := listed(t, path); !slices.Equal(got, want) {
			t.Errorf("%s leaves %q\nwant %q", step, got, want)
		}
	}
	savedAs(t, d, "kept", "again")
	expect("Create", kept, old)
	if _, err := d.Create("kept", nil); err != nil { // and the process is killed
		t.Fatal(err)
	}
	must(t, d.Close())
	d = opened(t, path, Options{})
	expect("Open", kept, old)
	must(t, d.Keep("kept"))
	expect("Keep", kept)
}

func TestAnotherKeyRemovesNothing(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{Key: key})
	name := saved(t, d, "secret", "secret")
	if content, err := os.ReadFile(filepath.Join(path, name)); err != nil || bytes.Contains(content, []byte("secret")) {
		t.Errorf("it can be read without a key (error %v)", err)
	}
	for want, opts := range map[string]Options{"sealed with another key": {Key: key[:16]}, "it is sealed, and there is no key": {}, "": {Key: key}} {
		must(t, d.Close())
		d = opened(t, path, opts)
		_, _, err := loaded(d, name)
		checkRefused(t, err, want)
	}
}

func TestAFileWithoutASealIsRefusedWhereThereIsAKey(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	name := saved(t, d, "")
	must(t, d.Close())
	_, _, err := loaded(opened(t, path, Options{Key: key}), name)
	checkRefused(t, err, "it is not sealed, although there is a key")
}

func checkRefused(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("the error is %v, want none", err)
	case want != "" && (!isRefused(err) || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), want)):
		t.Errorf("the error is %v, want one with %q", err, want)
	}
}
