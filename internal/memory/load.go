package memory

import (
	"errors"
)

// load reads the manifest, and decides whether the ledgers can be believed.
func (m *Memory) load() error {
	text, err := m.dir.Manifest()
	if err != nil {
		return err
	}
	found, err := parseManifest(text)
	if err != nil {
		return err
	}
	if found.Program.Build != m.opts.Program.Build {
		return errors.New("it is that of another version of the program")
	}
	if found.Program.Build == "" {
		return errors.New("nobody knows which version of the program saved it")
	}
	m.loaded, m.seed, m.current = found, found.Seed, found
	why := ""
	switch {
	case len(found.Ledgers) == 0:
	case found.Program.Config != m.opts.Program.Config:
		why = "the program has other arguments or another environment"
	case found.Marks != "" && (found.Boot == "" || found.Boot != bootID()):
		why = "the machine was started again since, so some of what the controllers did may not have been noted"
	case found.Marks != "":
		if m.marked, err = readMarks(m.path(found.Marks), found.marksOf()); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		m.opts.Log.Info("The saved ledgers are not used, so the first call for each request is told that its changes are incomplete", "dir", m.opts.Dir, "why", why)
		found.Ledgers = nil
		return nil
	}
	return m.goOn()
}

// goOn has what is taken from now on noted beside what was saved.
func (m *Memory) goOn() error {
	if len(m.loaded.Ledgers) == 0 {
		return nil
	}
	notes, err := newMarks(m.path(marksLabel+randomName()+".marks"), m.loaded.marksOf())
	if err != nil {
		return err
	}
	for name, requests := range m.marked {
		for request := range requests {
			if err := notes.add(name, request); err != nil {
				return err
			}
		}
	}
	again := *m.loaded
	again.Marks, again.Boot = notes.name, bootID()
	if err := m.dir.Commit(again.text(), again.files()); err != nil {
		return err
	}
	m.last, m.current = notes, &again
	return m.removeMarks(notes.name)
}
