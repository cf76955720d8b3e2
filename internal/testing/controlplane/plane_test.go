package controlplane

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
)

// actAsVictim makes this test binary a program that starts a Plane, tells where it
// is, and waits to be killed.
const actAsVictim = "CONTROLPLANE_TEST_VICTIM"

func TestMain(m *testing.M) {
	if os.Getenv(actAsVictim) != "" {
		victim()
		return
	}
	goleak.VerifyTestMain(m)
}

func TestUnknownFlagFailsWithTheProgramsWords(t *testing.T) {
	_, err := Start(t.Context(), Options{APIServerFlags: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "kube-apiserver exited: ") || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("got error %v, want what kube-apiserver wrote", err)
	}
}

func TestMissingBinariesNameTheCommand(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", t.TempDir())
	_, err := Start(t.Context(), Options{})
	if err == nil || !strings.Contains(err.Error(), "control plane is not built") || !strings.Contains(err.Error(), "make controlplane") {
		t.Errorf("got error %v, want one that says how to build", err)
	}
}

func TestNothingIsLeftAfterStop(t *testing.T) {
	p, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	p.Stop()
	expectGone(t, p.folder, p.etcdURL, p.admin.Host)
	if _, err := os.Stat(p.folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there (%v)", err)
	}
	if err := p.StartAPIServer(t.Context()); err == nil {
		t.Error("a stopped plane started a program")
	}
}

func victim() {
	p, err := Start(context.Background(), Options{})
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	fmt.Println(p.folder, p.etcdURL, p.admin.Host)
	select {}
}

func TestNothingIsLeftWhenTheTestIsKilled(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), actAsVictim+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	where := strings.Fields(line)
	if len(where) != 3 {
		t.Fatalf("the victim said %q", line)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	expectGone(t, where...)

	await.Until(t, "the folder to be gone", func() bool { // it is in use as long as a program is there that no longer listens
		sweep()
		_, err := os.Stat(where[0])
		return errors.Is(err, os.ErrNotExist)
	})
}

func TestSweepSparesWhatIsInUse(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder, release, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(os.TempDir(), strings.TrimSuffix(pattern, "*")+"unclaimed")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	sweep()
	for _, kept := range []string{folder, other} {
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("swept %s: %v", kept, err)
		}
	}
	release()
	sweep()
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("did not sweep %s (%v)", folder, err)
	}
}

// expectGone checks that nobody listens any more where a Plane did. A kill is
// carried out after it was asked for, so it may take a moment.
func expectGone(t *testing.T, where ...string) {
	t.Helper()
	var dialer net.Dialer
	for _, url := range where[1:] {
		_, host, _ := strings.Cut(url, "://")
		await.Until(t, "nobody to listen on "+host, func() bool {
			conn, err := dialer.DialContext(t.Context(), "tcp", host)
			if err != nil {
				return true
			}
			_ = conn.Close()
			return false
		})
	}
}
