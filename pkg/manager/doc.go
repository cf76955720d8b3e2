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
//   - options := ctrl.Options{
//   - mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
//     Scheme:                 scheme,
//     Metrics:                metricsServerOptions,
//     WebhookServer:          webhookServer,
//     HealthProbeBindAddress: probeAddr,
//     LeaderElection:         enableLeaderElection,
//     LeaderElectionID:       "80807133.example.com",
//   - })
//   - }
//   - if err := drmanager.Configure(&options); err != nil {
//   - setupLog.Error(err, "Failed to configure manager")
//   - os.Exit(1)
//   - }
//   - mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
//
// controller-runtime has no queue for all controllers at once, so each is told in its
// SetupWithManager:
//
//	 	return ctrl.NewControllerManagedBy(mgr).
//	 		For(&examplev1.Example{}).
//	+		WithOptions(controller.Options{NewQueue: drmanager.NewQueue}).
//	 		Complete(r)
//
// [New] is both steps of the first part in one, for a main that is written anew.
//
// # Concurrency
//
// Nothing here starts anything. What is configured runs when the manager does.
//
// # Testing
//
// With managers whose API server does not exist: none of this asks it.
package manager
