// Package contract holds the fake of internal/testing/apifake against a real kube-apiserver over a
// real etcd. It has tests and nothing else.
//
//	       scripts: a table, and random ones from seeds
//	           │                         │
//	           ▼                         ▼
//	kube-apiserver, etcd       apifake, in a bubble
//	           │                         │
//	           ▼                         ▼
//	      transcript ══════════════ transcript
//
// Where the two differ, the real server is right. Other packages build their fake servers
// on apifake, and so what they assume of a server is what is checked here.
//
// # Scripts
//
// A script writes, lists and watches, each in a namespace of its own. Versions have names
// in it: w2 is the version of its second write. Transcripts use the same names, so that
// they don't depend on what else is written: a version between two writes of the script
// is called after the earlier one. Scripts in which the server is started again, compacted
// or restored meet there, and it happens once for all of them.
//
// # What is not compared
//
// The words of an error, but its code, reason, causes and the rest of what a client may
// look at. A bookmark that says the same version as the one before, as others' writes may
// or may not bring one. When an event comes; but a watch is given seconds to be wrong.
//
// # Reproducing a seed
//
//	SEEDS=13 go test ./test/contract -run 'TestTheFakeDoesAsTheServerDoes/seed=12$'
//
// # Concurrency
//
// The scripts of a group are played on the real server at the same time, each in a
// goroutine of its own.
//
// # Testing
//
// TestScriptsBite plays the scripts on fakes that are wrong in one way each, and each of
// these must be noticed.
package contract
