package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
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
	out := flags.String("out", filepath.Join("..", "..", "bin", "k8s"), "folder for the binaries")
	if err := flags.Parse(args); err != nil {
		return err
	}
	wanted, err := pick(flags.Args())
	if err != nil {
		return err
	}
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		return inspect(assets, wanted, progress)
	}
	folder, err := filepath.Abs(*out)
	if err != nil {
		return fmt.Errorf("find the output folder: %w", err)
	}
	// go -C makes the folder of this source the current one, which has the pinned modules.
	b := &builder{module: "programs", out: folder, progress: progress, link: func(p pins) string {
		return "-s -w " + stampKubernetes(p.version(kubernetesPath))
	}}
	return b.all(ctx, wanted)
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
