// The sample operator: it serves Sites. README.md beside this file is its guide.
//
//	main ── parse: flags, environment
//	  └─ run ── newManager ─┬─ drmanager.Configure: our cache, a client that knows its writes
//	                        ├─ internal/controller: Sites, by our builder
//	                        ├─ internal/webhook: defaults and checks
//	                        └─ probes, metrics, the inspector
//
// The manager runs everything. When run returns, everything has ended. The tests call run with
// a real API server: from the flags to a Site that is served.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	f, err := parse(flag.NewFlagSet("sample-operator", flag.ContinueOnError), os.Args[1:], os.Getenv)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, err) // not by the log, because the flags set that up
		os.Exit(1)
	}
	// These are the loggers of the whole process, so they are set before anything else runs.
	ctrl.SetLogger(f.log)
	klog.SetLogger(f.log)
	if err := run(ctrl.SetupSignalHandler(), f); err != nil {
		f.log.Error(err, "The sample operator has ended")
		os.Exit(1)
	}
}

// run runs the operator until ctx ends.
func run(ctx context.Context, f *flags) error {
	mgr, err := newManager(ctx, f)
	if err != nil {
		return err
	}
	f.log.Info("Starting manager", "namespace", f.namespace)
	return mgr.Start(ctx)
}
