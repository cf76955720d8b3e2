// Package manager puts our cache beneath a manager of controller-runtime, and our
// queue beneath its controllers.
//
//	ctrl.Options ──Configure──▶ ctrl.Options, with NewCache ──ctrl.NewManager──▶ Manager
//	                                              │                                 │
//	                                              ▼                                 ▼
//	                                         pkg/cache ◀── reads, watches ── your controllers
//	                                                                                │
//	                         pkg/queue/ctrlqueue ◀── controller.Options.NewQueue ───┘
//
// # In a cmd/main.go of kubebuilder v4
//
// ctrl.NewManager stays where it is. Its options are configured first:
//
//	 	// in func main, once the flags are parsed
//	-	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
//	+	options := ctrl.Options{
//	 		Scheme:                 scheme,
//	 		Metrics:                metricsServerOptions,
//	 		WebhookServer:          webhookServer,
//	 		HealthProbeBindAddress: probeAddr,
//	 		LeaderElection:         enableLeaderElection,
//	 		LeaderElectionID:       "80807133.example.com",
//	-	})
//	+	}
//	+	if err := drmanager.Configure(&options); err != nil {
//	+		setupLog.Error(err, "Failed to configure manager")
//	+		os.Exit(1)
//	+	}
//	+	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
//
// controller-runtime has no option for the queue of all controllers at once. A controller of
// pkg/builder has our queue by default. Another one gets it in its SetupWithManager:
//
//	 	return ctrl.NewControllerManagedBy(mgr).
//	 		For(&examplev1.Example{}).
//	+		WithOptions(controller.Options{NewQueue: ctrlqueue.NewQueue[reconcile.Request]}).
//	 		Complete(r)
//
// [New] is both steps of the first part in one, for a new main.
//
// The manager's client remembers what it has written; [RecordWrites] says of which
// writes that is known. That is what delta.Change.Own and predicate.NotOwnWrite go by. A
// manager that only NewCache: cache.New was set for has a client that remembers nothing:
// to have both there, set NewClient: [NewClient] as well.
//
//	your reconciler ──▶ client ──note──▶ delta.Writes ◀── Own, NotOwnWrite
//	                      └──▶ the client that NewClient makes ──▶ API server
//
// # Concurrency
//
// Nothing here starts anything. What is configured runs when the manager does. The
// client may be used from any goroutine, and holds no lock while it writes.
//
// # Testing
//
// With managers whose API server does not exist: none of this asks it. What the client
// notes is tested on controller-runtime's fake client, and in test/operator on a real
// API server beside somebody else who writes the same objects.
package manager
