package controlplane

// Options says how a Plane differs from the usual one: an API server with RBAC,
// its watch cache, the feature gates that its release has on, and nothing beside it.
type Options struct {
	// Workloads starts the controller manager, the scheduler and a node, too: the
	// controllers that come with Kubernetes run, garbage is collected, and Pods
	// become ready. Nothing runs in these Pods.
	Workloads bool
	// APIServerFlags are added to the API server's command line, "--name=value"
	// each. They come last, so that they win over ours.
	APIServerFlags []string
}

// flags returns what o adds to the API server's command line.
func (o Options) flags() []string {
	var flags []string
	if !o.Workloads {
		// Nothing makes the default service accounts that it would insist on.
		flags = append(flags, "--disable-admission-plugins=ServiceAccount")
	}
	return append(flags, o.APIServerFlags...)
}

// programs names what runs: what is needed to serve the API, and to have workloads.
func (o Options) programs() []string {
	programs := []string{"etcd", "kube-apiserver"}
	if o.Workloads {
		programs = append(programs, workloads...)
	}
	return programs
}
