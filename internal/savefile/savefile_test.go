package savefile

import (
	"bytes"
	"errors"
	"io"
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// saved writes a file.
func saved(t testing.TB, d *Dir, head string, records ...string) string {
	t.Helper()
	w, err := d.Create("things.v1", []byte(head))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	for _, record := range records {
		if err := w.Record([]byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	name, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// loaded reads a file as far as it goes. The error is nil if it is whole.
func loaded(d *Dir, name string) (head string, records []string, err error) {
	r, err := d.Open(name)
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
	if err != nil {
		t.Fatal(err)
	}
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
			if err := d.Sweep(); err != nil { // a disk has no room for all seeds
				t.Error(err)
			}
		})
	})
}

func TestAManifestKeepsItsFiles(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		path := filepath.Join(t.TempDir(), "new", "place")
		d := opened(t, path, opts)
		if _, err := d.Manifest(); !errors.Is(err, ErrNone) {
			t.Errorf("an empty directory has a manifest, or the error is %v", err)
		}
		var before []string
		for _, manifest := range []string{"first", "", strings.Repeat("long ", blockSize)} {
			names := []string{saved(t, d, "a", "1", "2"), saved(t, d, "b"), saved(t, d, "gone")}
			if err := d.Commit([]byte(manifest), names[:2]); err != nil {
				t.Fatal(err)
			}
			want := slices.Sorted(slices.Values(append(names[:2:2], manifestName)))
			if got := listed(t, path); !slices.Equal(got, want) {
				t.Errorf("the directory has %q, want %q", got, want)
			}
			if _, err := d.Open(names[2]); !isRefused(err) {
				t.Errorf("a file that was not kept opens with %v", err)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			d = opened(t, path, opts)
			if got, err := d.Manifest(); err != nil || string(got) != manifest {
				t.Errorf("the manifest has %d bytes (error %v), want %d", len(got), err, len(manifest))
			}
			if head, records, err := loaded(d, names[0]); err != nil || head != "a" || !slices.Equal(records, []string{"1", "2"}) {
				t.Errorf("a file has %q, %q (error %v)", head, records, err)
			}
			before = append(before, names...)
		}
		if slices.Sort(before); len(slices.Compact(before)) != 9 {
			t.Error("a name was given twice")
		}
	})
}

func isRefused(err error) bool {
	var refused *Refused
	return errors.As(err, &refused)
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new")
	d := opened(t, path, Options{})
	name := saved(t, d, "")
	if err := d.Commit(nil, []string{name}); err != nil {
		t.Fatal(err)
	}
	w, err := d.Create("unfinished", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	want := map[string]os.FileMode{".": 0o700, name: 0o600, manifestName: 0o600, lockName: 0o600, filepath.Base(w.temporary): 0o600}
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
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	opened(t, path, Options{})
	if _, err := d.Create("late", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close, Create says %v", err)
	}
	if err := d.Commit(nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close, Commit says %v", err)
	}
}

// TestOpenTidiesUp has files of all kinds lie about: only ours that nobody needs go.
func TestOpenTidiesUp(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	kept := saved(t, d, "", "kept")
	if err := d.Commit(nil, []string{kept}); err != nil {
		t.Fatal(err)
	}
	leftover := saved(t, d, "", "finished, not committed")
	unfinished, err := d.Create("unfinished", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unfinished.Abandon)
	foreign := []string{"notes.txt", "x.tmp", "x.save", "x.save.tmp", kept + ".bak", "-" + leftover[1:], "manifest.save.tmp", "my " + leftover}
	for _, name := range foreign {
		if err := os.WriteFile(filepath.Join(path, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder := newName("folder")
	if err := os.Mkdir(filepath.Join(path, folder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = opened(t, path, Options{})
	want := slices.Sorted(slices.Values(append(foreign, kept, manifestName, folder)))
	if got := listed(t, path); !slices.Equal(got, want) {
		t.Errorf("Open leaves %q\nwant %q", got, want)
	}
	if err := d.Commit(nil, nil); err != nil {
		t.Fatal(err)
	}
	want = slices.DeleteFunc(want, func(name string) bool { return name == kept })
	if got := listed(t, path); !slices.Equal(got, want) {
		t.Errorf("Commit leaves %q\nwant %q", got, want)
	}
}

func TestAnotherKeyRemovesNothing(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{Key: key})
	name := saved(t, d, "", "secret")
	if err := d.Commit([]byte("secret"), []string{name}); err != nil {
		t.Fatal(err)
	}
	for _, filename := range []string{name, manifestName} {
		if content, err := os.ReadFile(filepath.Join(path, filename)); err != nil || bytes.Contains(content, []byte("secret")) {
			t.Errorf("%s can be read without a key (error %v)", filename, err)
		}
	}
	for want, opts := range map[string]Options{"sealed with another key": {Key: key[:16]}, "it is sealed, and there is no key": {}, "": {Key: key}} {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d = opened(t, path, opts)
		if err := d.Sweep(); err != nil {
			t.Error(err)
		}
		_, err := d.Manifest()
		checkRefused(t, err, want)
		_, _, err = loaded(d, name)
		checkRefused(t, err, want)
	}
}

func TestAFileWithoutASealIsRefusedWhereThereIsAKey(t *testing.T) {
	path := t.TempDir()
	d := opened(t, path, Options{})
	if err := d.Commit(nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := opened(t, path, Options{Key: key}).Manifest()
	checkRefused(t, err, "it is not sealed, although there is a key")
}

func checkRefused(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("the error is %v, want none", err)
	case want != "" && (!isRefused(err) || !strings.Contains(err.Error(), want)):
		t.Errorf("the error is %v, want one with %q", err, want)
	}
}
