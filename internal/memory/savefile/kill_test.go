package savefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
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
	has, err := judge(d)
	for n := slices.Max(has[:]) + 1; err == nil; n++ {
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

// TestKill has child processes save as fast as they can, and kills each at a random moment: the first of two while it opens the
// directory or saves for the first time, the other one later.
func TestKill(t *testing.T) {
	kills := 5
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatalf("read %s: %v", killsVariable, err)
		}
	}
	for seed, kind := range []string{"checksums", "k"} {
		t.Run(kind, func(t *testing.T) {
			t.Log("the dice have seed ", seed)
			rng := rand.New(rand.NewPCG(uint64(seed), 0))
			path := t.TempDir() + "/" + kind
			var before [3]int
			for round := range kills {
				life := time.Duration(rng.IntN(60_000)) * time.Microsecond
				reported := killOne(t, path, life, round%2 == 1)
				has := judgeKilled(t, path)
				for i, n := range has {
					if least, most := max(reported, before[i]), max(reported, slices.Max(before[:]))+1; n < least || n > most {
						t.Fatalf("kill %d: file %d has generation %d, want one from %d to %d", round, i, n, least, most)
					}
				}
				before = has
			}
			t.Logf("%d kills, generations %v", kills, before)
			if least := kills / 2; slices.Min(before[:]) < least { // each that died later had reported one
				t.Errorf("files have generations %v after %d kills, want %d at least", before, kills, least)
			}
		})
	}
}

// judgeKilled returns which generations a killed process has left, and sees that Open leaves nothing else.
func judgeKilled(t *testing.T, path string) [3]int {
	t.Helper()
	d, err := Open(path, killOptions(path))
	must(t, err)
	has, err := judge(d)
	if err == nil {
		err = d.Close()
	}
	must(t, err)
	var want []string
	for i, n := range has {
		if n > 0 {
			want = append(want, fileName(labels[i]))
		}
	}
	if got := listed(t, path); !slices.Equal(got, want) {
		t.Fatalf("%q are left, want %q", got, want)
	}
	return has
}

// killOne returns the last generation that a child reported. It dies after so long a life, which begins when the child starts, or
// late: when it has reported a generation.
func killOne(t *testing.T, path string, life time.Duration, late bool) (reported int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childVariable+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	must(t, err)
	lines := bufio.NewReader(out)
	kill := func() { _ = child.Process.Kill() }
	var death *time.Timer
	if !late {
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
		must(t, err)
		if death == nil {
			death = time.AfterFunc(life, kill)
		}
	}
	if err := child.Wait(); death == nil || death.Stop() || err == nil {
		t.Fatalf("the child has ended by itself: %v", err)
	}
	return reported
}

// fipsVariable has the test binary be TestWhereOnlyFIPSMayBeUsed's process.
const fipsVariable = "SAVEFILE_FIPS"

// saveOnce writes one file, and returns what went wrong.
func saveOnce(path string) error {
	d, err := Open(path, Options{})
	if err != nil {
		return err
	}
	w, err := d.Create("things.v1", []byte("head"))
	if err != nil {
		return err
	}
	return w.Finish()
}

// TestWhereOnlyFIPSMayBeUsed runs a process that may use nothing but FIPS 140, where there is no seal. It gets an error.
func TestWhereOnlyFIPSMayBeUsed(t *testing.T) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), fipsVariable+"="+t.TempDir(), "GODEBUG=fips140=only")
	output, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "saved: create ") || !strings.Contains(string(output), ": make a seal: ") {
		t.Errorf("the process ended with %v and said %s", err, output)
	}
}

func sayWhetherItSaves(path string) { fmt.Fprintln(os.Stderr, "saved:", saveOnce(path)) }
