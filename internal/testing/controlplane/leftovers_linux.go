package controlplane

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// endWithParent has the kernel kill cmd when the thread that starts it ends. Until
// then it goes on: a Ctrl-C in the terminal is for all processes of a group, and only
// the one that started the programs knows in which order to end them.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// claim marks folder as in use for as long as this process lives and has not
// called release.
func claim(folder string) (release func(), err error) {
	f, err := os.Create(filepath.Join(folder, "in-use"))
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return func() { _ = f.Close() }, nil
}

// abandoned reports whether folder was claimed by a process that has died since.
func abandoned(folder string) bool {
	f, err := os.Open(filepath.Join(folder, "in-use"))
	if err != nil {
		return false // not claimed yet: it is being made right now
	}
	defer func() { _ = f.Close() }()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
