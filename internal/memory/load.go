package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/delta-runtime/delta-runtime/internal/savefile"
)

// load reads the manifest, and decides what of it can be used. Of ledgers that are not used nothing is noted, so they must not
// be used later either: not by the version of the program that saved them, nor with its arguments.
func (m *Memory) load() error {
	text, err := m.dir.Manifest()
	if errors.Is(err, savefile.ErrNone) {
		return errors.Join(err, m.noted())
	}
	var found *manifest
	if err == nil {
		found, err = parseManifest(text)
	}
	if err != nil {
		return errors.Join(err, m.disownAll())
	}
	switch {
	case found.Program.Build != m.opts.Program.Build:
		return m.refuse(found, "it is that of another version of the program")
	case found.Program.Build == "":
		return m.refuse(found, "nobody knows which version of the program saved it")
	}
	why := m.doubt(found)
	if why != "" {
		m.opts.Log.Info("The saved ledgers are not used, so the first call for each request is told that its changes are incomplete", "dir", m.opts.Dir, "why", why)
		if err := m.disown(found); err != nil {
			return err
		}
	}
	m.loaded, m.seed, m.current = found, found.Seed, found
	return m.goOn()
}

// refuse returns an error that says why nothing is used. The objects stay for the program that saved them.
func (m *Memory) refuse(found *manifest, why string) error {
	return errors.Join(errors.New(why), m.disown(found))
}

// doubt says why the ledgers can't be believed, empty if they can.
func (m *Memory) doubt(found *manifest) (why string) {
	_, missing := os.Stat(m.path(unnoted))
	switch {
	case missing == nil:
		why = "another process has worked beside this memory, and has not noted what it did"
	case len(found.Ledgers) == 0:
	case found.Program.Config != m.opts.Program.Config:
		why = "the program has other arguments or another environment"
	case found.Marks != "" && (found.Boot == "" || found.Boot != bootID()):
		why = "the machine was started again since, so some of what the controllers did may not have been noted"
	case found.Marks != "":
		marked, err := readMarks(m.path(found.Marks), found.marksOf())
		if err != nil {
			return err.Error()
		}
		m.marked = marked
	}
	return why
}

// disown has nobody believe the ledgers any more.
func (m *Memory) disown(found *manifest) error {
	files := found.Ledgers
	found.Ledgers, found.Marks = nil, ""
	m.marked = nil
	err := m.dir.Commit(found.text(), found.files())
	for _, l := range files { // if they are still there, they must go at least
		if err != nil {
			_ = os.Remove(m.path(l.File))
		}
	}
	if err != nil {
		return fmt.Errorf("forget the saved ledgers: %w", err)
	}
	return m.noted()
}

// disownAll has nobody believe what this program can't read. Another program may be able to.
func (m *Memory) disownAll() error {
	if err := m.dir.Commit(emptyManifest(), nil); err != nil {
		return fmt.Errorf("forget what was saved: %w", err)
	}
	return m.noted()
}

// unnoted is a file that a process leaves which can't use the directory, perhaps because another one does. Nobody notes what its
// controllers do.
const unnoted = "unnoted"

// leaveWord says that a process works which notes nothing.
func leaveWord(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, unnoted), nil, 0o600); err != nil {
		return fmt.Errorf("say that nothing is noted: %w", err)
	}
	return nil
}

// noted takes that back, when nothing is there that could be believed.
func (m *Memory) noted() error {
	if err := os.Remove(m.path(unnoted)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("begin to note again: %w", err)
	}
	return nil
}

// spoilLedgers has nobody believe the ledgers that were saved, because one of them can't be read.
func (m *Memory) spoilLedgers() {
	m.mu.Lock()
	current := m.current
	m.mu.Unlock()
	if current == nil || len(current.Ledgers) == 0 {
		return
	}
	without := *current
	without.Ledgers, without.Marks = nil, ""
	if err := m.dir.Commit(without.text(), without.files()); err != nil {
		m.spoil(err)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current = &without
}

// goOn has what is taken from now on noted beside what was saved.
func (m *Memory) goOn() error {
	if len(m.loaded.Ledgers) == 0 {
		return nil
	}
	notes, err := newMarks(m.path(marksLabel+randomName()+".marks"), m.loaded.marksOf())
	if err != nil {
		return errors.Join(err, m.disown(m.loaded))
	}
	for name, requests := range m.marked {
		for request := range requests {
			if err := notes.add(name, request); err != nil {
				return errors.Join(err, m.disown(m.loaded))
			}
		}
	}
	again := *m.loaded
	again.Marks, again.Boot = notes.name, bootID()
	if err := m.dir.Commit(again.text(), again.files()); err != nil {
		return errors.Join(err, m.disown(m.loaded))
	}
	m.last, m.current = notes, &again
	return m.removeMarks(notes.name)
}
