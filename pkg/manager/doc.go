// Package manager puts our cache beneath a manager of controller-runtime, and says how its
// controllers get our queue.
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
// The manager's client remembers what it has written; [RecordWrites] names the writes that it
// can remember. delta.Change.Own and predicate.NotOwnWrite ask for them. If only NewCache is
// set, to cache.New, the client remembers nothing. For both, set NewClient to [NewClient] too.
//
//	your reconciler ──▶ client ──note──▶ its writes   ◀── Own, NotOwnWrite
//	                      └──▶ the client that NewClient makes ──▶ API server
//
// # Concurrency
//
// This package starts no goroutine. The cache that it configures runs when the manager does.
// Any goroutine may use the client, which holds no lock while it writes.
//
// # Testing
//
// The tests make managers whose API server does not exist, because no code here asks it. They
// check the client's notes with controller-runtime's fake client. test/operator checks them
// with a real API server, while another client writes the same objects.
package manager
