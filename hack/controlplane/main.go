package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
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
	wanted, err := pick(args)
	if err != nil {
		return err
	}
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		progress.Printf("using KUBEBUILDER_ASSETS=%s, so not building %s", assets, namesOf(wanted))
		return nil
	}
	// go -C makes the folder of this source the current one, which has the pinned modules.
	folder, err := filepath.Abs(filepath.Join("..", "..", "bin", "k8s"))
	if err != nil {
		return fmt.Errorf("find the output folder: %w", err)
	}
	b := &builder{module: "programs", out: folder, progress: progress, link: func(p pins) string {
		return "-s -w " + stampKubernetes(p.version(kubernetesPath))
	}}
	return b.all(ctx, wanted)
}
