package main

import (
	"flag"
	"io"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
)

// TestStaleAfter looks at what the flag takes, and what it refuses.
func TestStaleAfter(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := controlplane.WriteKubeconfig(kubeconfig, &rest.Config{Host: "https://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want time.Duration
		err  string // a part of it
	}{
		"nothing is said":    {nil, time.Minute, ""},
		"fifteen seconds":    {[]string{"--stale-after=15s"}, 15 * time.Second, ""},
		"any time":           {[]string{"--stale-after=0"}, 0, ""},
		"less than no time":  {[]string{"--stale-after=-1s"}, 0, "--stale-after is -1s, and can't be less than 0"},
		"a number of what":   {[]string{"--stale-after=15"}, 0, "stale-after"},
		"the empty duration": {[]string{"--stale-after="}, 0, "stale-after"},
	} {
		t.Run(name, func(t *testing.T) {
			set := flag.NewFlagSet("test", flag.ContinueOnError)
			set.SetOutput(io.Discard)
			args := append([]string{"--kubeconfig=" + kubeconfig, "--namespace=" + namespace}, c.args...)
			f, err := parse(set, args, func(string) string { return "" })
			switch {
			case c.err != "":
				if !contains(err, c.err) {
					t.Errorf("the error is %v, want in it %q", err, c.err)
				}
			case err != nil:
				t.Error(err)
			case f.staleAfter != c.want:
				t.Errorf("it is %v, want %v", f.staleAfter, c.want)
			}
		})
	}
}
