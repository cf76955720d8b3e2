package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	progress := log.New(os.Stderr, "", 0)
	err := run(ctx, os.Args[1:], progress)
	stop()
	if err != nil {
		progress.Fatalf("controlplane: %v", err)
	}
}

// run makes sure that the components named in args exist.
func run(ctx context.Context, args []string, progress *log.Logger) error {
	flags := flag.NewFlagSet("controlplane", flag.ContinueOnError)
	flags.SetOutput(progress.Writer())
	out := flags.String("out", "", "folder for the binaries (default bin/k8s of the repository)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted, err := pick(flags.Args())
	if err != nil {
		return err
	}
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		brought := slices.DeleteFunc(slices.Clone(wanted), component.own)
		if err := inspect(assets, brought, progress); err != nil {
			return err
		}
		if wanted = slices.DeleteFunc(wanted, func(c component) bool { return !c.own() }); len(wanted) == 0 {
			return nil
		}
	}
	pins, err := pinsFolder()
	if err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(pins, "..", "..", "bin", "k8s")
	}
	b, err := newBuilder(pins, *out, progress)
	if err != nil {
		return err
	}
	return b.all(ctx, wanted)
}

// pinsFolder is the folder of this program's source. It also has the modules that pin what
// the program builds. go run does not tell a program where its source is, but `go -C` makes
// that folder the current one.
func pinsFolder() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the pinned versions: %w", err)
	}
	if _, err := os.Stat(filepath.Join(here, programs.folder, "go.mod")); err != nil {
		return "", errors.New("find the pinned versions: start me with `go -C hack/controlplane run .`, so that I run in that folder")
	}
	return here, nil
}

// inspect checks a folder that the user has named. It does not check versions, but it says
// what is missing, before a test fails because of it.
func inspect(assets string, wanted []component, progress *log.Logger) error {
	var missing []string
	for _, c := range wanted {
		if info, err := os.Stat(filepath.Join(assets, c.name)); err != nil || !info.Mode().IsRegular() {
			missing = append(missing, c.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("KUBEBUILDER_ASSETS=%s has no %s: put it there, or unset the variable to have it built",
			assets, strings.Join(missing, ", "))
	}
	progress.Printf("using KUBEBUILDER_ASSETS=%s, so not building what is there", assets)
	return nil
}
