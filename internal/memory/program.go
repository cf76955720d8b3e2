package memory

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"slices"
	"strings"
)

// Program says which program it is that saves. Objects are believed if the build is the same, because they went
// through its Go types and transforms. Ledgers are believed only if it was configured the same way, too: what it has
// done may not be what it would do now.
type Program struct {
	Build  string
	Config string
}

// ThisProgram is the one that runs. A version that is not empty speaks for all of it.
func ThisProgram(version string) Program {
	if version != "" {
		return Program{Build: "version " + version, Config: "version " + version}
	}
	return Program{Build: buildID(), Config: digest(append(slices.Clone(os.Args), settled(os.Environ())...))}
}

// settled returns the environment without what differs from one start to the next, though nobody has changed anything.
func settled(environment []string) []string {
	kept := slices.DeleteFunc(slices.Clone(environment), func(one string) bool {
		name, _, _ := strings.Cut(one, "=")
		switch name {
		case "HOSTNAME", "POD_NAME", "POD_IP", "POD_UID", "HOST_IP", "NODE_NAME", "INVOCATION_ID", "JOURNAL_STREAM", "OLDPWD", "PWD", "SHLVL", "_":
			return true
		}
		return strings.Contains(name, "_SERVICE_") || strings.Contains(name, "_PORT_") || strings.HasSuffix(name, "_PORT")
	})
	slices.Sort(kept)
	return kept
}

func digest(parts []string) string {
	sum := sha256.New()
	for _, p := range parts {
		_, _ = io.WriteString(sum, p)
		_, _ = sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// buildID names the executable: by what the linker made of its contents, or else by all of them.
func buildID() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	if file, err := elf.Open(path); err == nil {
		defer func() { _ = file.Close() }()
		if section := file.Section(".note.go.buildid"); section != nil {
			if data, err := section.Data(); err == nil {
				return "go " + digest([]string{string(data)})
			}
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return "sha256 " + hex.EncodeToString(sum.Sum(nil))
}

// bootID names the time since the machine was started, empty where nobody can tell.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
