package savefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"
)

const (
	childVariable = "SAVEFILE_CHILD" // the directory that a child process saves to
	killsVariable = "KILLS"          // how many children are killed, for each kind of directory
)

// saveUntilKilled is what a child process does.
func saveUntilKilled(path string) error {
	d, err := Open(path, killOptions(path))
	if err != nil {
		return err
	}
	d.block = 256
	n, err := judge(d)
	for err == nil {
		n++
		if err = save(d, n); err == nil {
			_, err = fmt.Println(n)
		}
	}
	return err
}

// killOptions follow from the directory, so that a child knows them.
func killOptions(path string) Options {
	if path[len(path)-1] == 'k' {
		return Options{Key: key}
	}
	return Options{}
}

// TestKill has child processes save as fast as they can, and kills each at a random moment.
func TestKill(t *testing.T) {
	kills := 5
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatalf("read %s: %v", killsVariable, err)
		}
	}
	for _, kind := range []string{"checksums", "k"} {
		t.Run(kind, func(t *testing.T) {
			path := t.TempDir() + "/" + kind
			reported, before := 0, 0
			for round := range kills {
				reported = max(reported, killOne(t, path, time.Duration(rand.IntN(60_000))*time.Microsecond))
				d, err := Open(path, killOptions(path))
				if err != nil {
					t.Fatalf("kill %d: %v", round, err)
				}
				n, err := judge(d)
				switch {
				case err != nil:
					t.Fatalf("kill %d: %v", round, err)
				case n < reported, n > max(reported, before)+1:
					t.Fatalf("kill %d: there is generation %d, and %d was reported last", round, n, reported)
				}
				if got := len(listed(t, path)); got != 4 && n > 0 {
					t.Fatalf("kill %d: %d files are left", round, got)
				}
				before = n
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d kills, %d generations", kills, before)
			if before < kills/10 {
				t.Errorf("only %d generations were saved", before)
			}
		})
	}
}

// killOne returns the last generation that a child reported. Half of them die while they open
// the directory and save for the first time, the others later.
func killOne(t *testing.T, path string, life time.Duration) (reported int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	kill := func() { _ = child.Process.Kill() }
	var death *time.Timer
	if rand.IntN(2) == 0 {
		death = time.AfterFunc(life, kill)
	}
	for {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // a line that is cut off was not reported
		}
		if err == nil {
			_, err = fmt.Sscan(line, &reported)
		}
		if err != nil {
			t.Fatal(err)
		}
		if death == nil {
			death = time.AfterFunc(life, kill)
		}
	}
	if err := child.Wait(); death == nil || death.Stop() || err == nil {
		t.Fatalf("the child has ended by itself: %v", err)
	}
	return reported
}
