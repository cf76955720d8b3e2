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

// ending says when the demo is over.
type ending uint8

const (
	_ ending = iota
	whenTold
	afterStory
)

func main() {
	once := flag.Bool("once", false, "end after the story, with an error if something in it did not happen as told")
	flag.Parse()
	log.SetLogger(logr.Discard()) // what clients have to say comes back as an error, too
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // who asks twice does not want to wait
	end := whenTold
	if *once {
		end = afterStory
	}
	out := newPrinter(os.Stdout, styleFor(os.Stdout, os.Getenv))
	err := run(ctx, out, end)
	if ctx.Err() != nil && end == whenTold {
		err = nil // it was asked to end, and whatever it was about to do it did not
	}
	if err != nil {
		out.failure(err)
		os.Exit(1)
	}
}

// run shows everything, and returns when nothing of it is left.
func run(ctx context.Context, out *printer, end ending) error {
	if _, err := os.Stat("config/default/kustomization.yaml"); err != nil {
		return fmt.Errorf("find the operator's manifests: run me from the root of the repository, by `make run`: %w", err)
	}
	c, err := startCluster(ctx, out)
	if err != nil {
		return err
	}
	defer func() {
		out.note("stopping the cluster")
		c.plane.Stop()
	}()
	err = c.show(ctx, end)
	if ctx.Err() != nil && end == afterStory {
		return errors.Join(err, errors.New("interrupted before the story was told"))
	}
	return err
}
