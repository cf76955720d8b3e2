package controller

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	webappv1 "my.domain/guestbook/api/v1"
)

// This file does not belong to the project: package adopt adds it, to see what runs.

// probeManager reports the packages of a manager's parts.
func probeManager(mgr ctrl.Manager) {
	tell("cache", mgr.GetCache())
	tell("client", mgr.GetClient())
	informer, err := mgr.GetCache().GetInformer(context.Background(), &webappv1.Guestbook{}, cache.BlockUntilSynced(false))
	if err != nil {
		panic(err)
	}
	tell("informer", informer)
}

// probeQueue is a source, because sources get the queue.
func probeQueue() source.Source {
	return source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		tell("queue", queue)
		return nil
	})
}

// probeGoroutines reports the functions that run in goroutines while a controller runs.
// Without a controller the request is for a Guestbook called none.
func probeGoroutines(req ctrl.Request) {
	if req.Name == "none" {
		return
	}
	stacks := make([]byte, 1<<20)
	for line := range strings.Lines(string(stacks[:runtime.Stack(stacks, true)])) {
		if function, _, ok := strings.Cut(line, ".("); ok && !strings.HasPrefix(line, "\t") {
			write("runs", strings.TrimPrefix(function, "created by "))
		}
	}
}

func tell(what string, is any) {
	t := reflect.TypeOf(is)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	write(what, t.PkgPath())
}

// write appends a line to the file that ADOPT_PROBE names.
func write(what, is string) {
	file, err := os.OpenFile(os.Getenv("ADOPT_PROBE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer func() { _ = file.Close() }()
	if _, err := fmt.Fprintf(file, "%s %s\n", what, is); err != nil {
		panic(err)
	}
}
