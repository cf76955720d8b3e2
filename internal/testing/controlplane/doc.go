// Package controlplane starts and stops a real API server over a real etcd, for
// tests; with the controllers, the scheduler and a node of a cluster if asked to.
//
//	ForTest(t, Options{})            KillAPIServer   StartAPIServer
//	      │                                 │               │
//	      ▼                                 ▼               ▼
//	  etcd ◀──────────────────────── kube-apiserver ◀──── Config, ServiceAccountConfig
//	      ▲                                 ▲
//	   Compact, Backup, Restore             │ Options.Workloads
//	                                        │
//	             kube-controller-manager, kube-scheduler, kwok (plays a node)
//
// The binaries come from the folder that KUBEBUILDER_ASSETS names, or else from
// bin/k8s of this repository; `make cluster` puts them there. A Plane is ready
// within seconds, keeps its data in a folder of its own, listens on free ports of
// 127.0.0.1, and takes everything with it when it stops. On Linux that holds even
// when the test is killed: the kernel ends the programs, and the next Plane
// removes the folder.
//
// Without workloads an object is just that: nothing makes Pods of a Deployment, nothing
// collects what an owner leaves behind, and a namespace that is deleted stays. With
// them all controllers of a cluster run, and every Pod that is bound to the node
// becomes ready at once, though nothing runs in it. kwok.yaml says how.
//
// Compact alone does not make a resume fail with 410 Gone: the API server answers a watch from its own memory for
// as long as that reaches back far enough. Two ways work. After KillAPIServer, some
// change and StartAPIServer the memory is empty and every older version is gone. Or
// start with `--watch-cache=false`, so that etcd answers, and Compact is enough.
//
// The methods of a Plane may be called from any goroutine, except that of
// KillAPIServer and StartAPIServer one call at a time is allowed.
package controlplane
