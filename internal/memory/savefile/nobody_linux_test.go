package savefile

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// asNobody plays a test with rights that end somewhere: root may write everywhere. Files
// belong to the user that a thread says, so one thread can be somebody else.
func asNobody(t *testing.T, test func(home string)) {
	t.Helper()
	home := t.TempDir()
	if os.Getuid() != 0 {
		test(home)
		return
	}
	const nobody = 65534
	for _, err := range []error{os.Chown(home, nobody, nobody), os.Chmod(filepath.Dir(home), 0o711)} {
		must(t, err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	setUser(t, nobody)
	defer setUser(t, 0)
	test(home)
}

// setUser says who opens files in this thread.
func setUser(t *testing.T, user uintptr) {
	t.Helper()
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, user, 0, 0); errno != 0 {
		t.Fatal(errno)
	}
}
