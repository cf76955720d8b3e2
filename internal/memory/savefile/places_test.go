package savefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

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
