package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	var s settings
	flag.BoolVar(&s.once, "once", false, "end after the story, with an error if something in it did not happen as told")
	flag.StringVar(&s.operator, "operator", "bin/sample-operator", "the operator's program")
	flag.Parse()
	log.SetLogger(logr.Discard()) // clients also return what they would log here
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	out := newPrinter(os.Stdout, takesColours(os.Stdout, os.Getenv))
	err := run(ctx, out, s)
	if ctx.Err() != nil && !s.once {
		err = nil // the demo was asked to end, so unfinished work is not an error
	}
	if err != nil {
		out.failure(err)
		os.Exit(1)
	}
}

// settings are what the flags say.
type settings struct {
	operator string // path of the operator's program
	once     bool   // end after the story
}

// run runs the demo, and returns when everything that it started has ended.
func run(ctx context.Context, out *printer, s settings) error {
	if _, err := os.Stat("config/default/kustomization.yaml"); err != nil {
		return fmt.Errorf("find the operator's manifests: run me from the root of the repository, by `make run`: %w", err)
	}
	if _, err := os.Stat(s.operator); err != nil {
		return fmt.Errorf("find the operator's program, which `make run` builds: %w", err)
	}
	c, err := startCluster(ctx, out)
	if err != nil {
		return err
	}
	c.settings = s
	defer func() {
		out.note("stopping the cluster")
		c.plane.Stop()
	}()
	err = c.show(ctx)
	if ctx.Err() != nil && s.once {
		return errors.Join(err, errors.New("interrupted before the story was told"))
	}
	return err
}
