// Package contract compares the fake of internal/testing/apifake with a real kube-apiserver
// over a real etcd. It has only tests.
//
//	       scripts: a table, and random ones from seeds
//	           │                         │
//	           ▼                         ▼
//	kube-apiserver, etcd       apifake, in a bubble
//	           │                         │
//	           ▼                         ▼
//	      transcript ══════════════ transcript
//
// Where the two differ, the real server is right. Other packages build their fake servers on
// apifake. So the tests here check what those packages assume about a server.
//
// # Scripts
//
// A script writes, lists and watches in a namespace of its own. Versions have names in a
// script: w2 is the version of its second write. Transcripts use the same names, so that they
// don't depend on other writes: a version between two writes of the script has the name of
// the earlier one. In some scripts the server is started again, compacted or restored. These
// scripts wait for each other, and it is done once for all of them.
//
// # What is not compared
//
// The message of an error is not compared, but its code, reason, causes and everything else
// that a client may look at are. A bookmark with the same version as the last one is ignored,
// because it depends on the writes of others. The time of an event is not compared, but a
// watch gets seconds in which it can be wrong.
//
// # Reproducing a seed
//
//	SEEDS=13 go test -tags slow ./test/contract -run 'TestTheFakeDoesAsTheServerDoes.*/seed=12$'
//
// # Concurrency
//
// The scripts of a group run on the real server at the same time, each in a goroutine of its
// own.
//
// # Testing
//
// Scripts with events, timeouts and pauses take real seconds, so only the tag slow compiles the test that plays them
// on the real server. The other scripts wait for the server as long as it takes.
//
// hack/mutants has fakes with one fault each. The scripts must find each fault.
package contract
