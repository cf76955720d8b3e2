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
	"time"

	"go.uber.org/goleak"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
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

func clientFor(t *testing.T, config *rest.Config) *kubernetes.Clientset {
	t.Helper()
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(httpClient.CloseIdleConnections)
	client, err := kubernetes.NewForConfigAndClient(config, httpClient)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func create(t *testing.T, client kubernetes.Interface, name string) *corev1.ConfigMap {
	t.Helper()
	made, err := client.CoreV1().ConfigMaps("default").Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// resume watches config maps from a version, and returns the first thing that the
// watch says or the error of the request.
func resume(t *testing.T, client kubernetes.Interface, version string) (watch.Event, error) {
	t.Helper()
	w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return watch.Event{}, err
	}
	defer w.Stop()
	event := <-w.ResultChan()
	if event.Type == watch.Error {
		return event, apierrors.FromObject(event.Object)
	}
	return event, nil
}

func TestDataOutlivesTheAPIServer(t *testing.T) {
	p := ForTest(t, Options{})
	client := clientFor(t, p.Config())
	first := create(t, client, "first")

	p.KillAPIServer()
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "first", metav1.GetOptions{}); err == nil {
		t.Error("a dead API server answered")
	}
	p.KillAPIServer() // it is dead already
	for range 2 {     // the second time it is up already
		if err := p.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	again, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "first", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if again.UID != first.UID || again.ResourceVersion != first.ResourceVersion {
		t.Errorf("got %s at %s, want %s at %s", again.UID, again.ResourceVersion, first.UID, first.ResourceVersion)
	}
}

func TestRestartForgetsOldVersions(t *testing.T) {
	p := ForTest(t, Options{})
	client := clientFor(t, p.Config())
	first := create(t, client, "first")
	second := create(t, client, "second")

	event, err := resume(t, client, first.ResourceVersion)
	if err != nil || event.Object.(*corev1.ConfigMap).UID != second.UID {
		t.Fatalf("before the restart a watch resumes with %v and error %v", event.Object, err)
	}
	if _, err := p.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, client, first.ResourceVersion); err != nil {
		t.Errorf("compaction alone made the API server forget: %v", err)
	}
	p.KillAPIServer()
	if err := p.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, client, first.ResourceVersion); !apierrors.IsResourceExpired(err) {
		t.Errorf("after the restart a watch resumes with error %v, want expired", err)
	}
}

func TestCompactForgetsOldVersionsWithoutWatchCache(t *testing.T) {
	p := ForTest(t, Options{APIServerFlags: []string{"--watch-cache=false"}})
	client := clientFor(t, p.Config())
	first := create(t, client, "first")
	create(t, client, "second")
	third := create(t, client, "third") // the latest change outlives a compaction, the one before does not

	if _, err := resume(t, client, first.ResourceVersion); err != nil {
		t.Fatalf("before the compaction: %v", err)
	}
	at, err := p.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(at); len(got) < len(third.ResourceVersion) || got < third.ResourceVersion {
		t.Errorf("compacted at %s, older than what was there: %s", got, third.ResourceVersion)
	}
	if _, err := resume(t, client, first.ResourceVersion); !apierrors.IsResourceExpired(err) {
		t.Errorf("after the compaction a watch resumes with error %v, want expired", err)
	}
	for range 3 { // the API server writes now and then by itself, but not as often as this
		if _, err := p.Compact(t.Context()); err != nil {
			t.Errorf("compact what may have no past: %v", err)
		}
	}
}

func TestUsersMayDoWhatTheyAreGranted(t *testing.T) {
	p := ForTest(t, Options{FeatureGates: map[string]bool{"ShardedListAndWatch": true}})
	config, err := p.ConfigFor("alice", "auditors")
	if err != nil {
		t.Fatal(err)
	}
	alice := clientFor(t, config)
	_, err = alice.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("with no role at all: error %v, want forbidden", err)
	}
	who, err := alice.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if who.Status.UserInfo.Username != "alice" || who.Status.UserInfo.Groups[0] != "auditors" {
		t.Errorf("the server takes alice of auditors for %v", who.Status.UserInfo)
	}
}

func TestUnknownFlagFailsWithTheProgramsWords(t *testing.T) {
	_, err := Start(t.Context(), Options{APIServerFlags: []string{"--no-such-flag"}})
	if !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "unknown flag: --no-such-flag") {
		t.Errorf("got error %v, want what kube-apiserver wrote", err)
	}
}

func TestMissingBinariesNameTheCommand(t *testing.T) {
	t.Setenv("KUBEBUILDER_ASSETS", t.TempDir())
	_, err := Start(t.Context(), Options{})
	if !errors.Is(err, ErrNotBuilt) || !strings.Contains(err.Error(), "make controlplane") {
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

	sweep()
	if _, err := os.Stat(where[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there (%v)", err)
	}
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
	deadline := time.Now().Add(10 * time.Second)
	for _, url := range where[1:] {
		_, host, _ := strings.Cut(url, "://")
		for {
			conn, err := dialer.DialContext(t.Context(), "tcp", host)
			if err != nil {
				break
			}
			_ = conn.Close()
			if time.Now().After(deadline) {
				t.Errorf("somebody still listens on %s", host)
				break
			}
		}
	}
}
