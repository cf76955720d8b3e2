// Delta-adopt puts delta-runtime into an operator's project, and takes it out again.
//
//	delta-adopt [-n] [-inspector ADDRESS] PROJECT     print the change, and make it
//	delta-adopt --undo [-n] PROJECT                    take it out
//
// It looks at the syntax tree of every Go file, and changes three things: the options of the manager, the
// builder of each controller, and go.mod. It adds the inspector after the manager. If the module is a clone in the
// project, the Makefile and the Dockerfile learn of it. A second time it changes the controllers that came since.
//
//	the files of the project ──▶ edits ──▶ a copy in memory ──▶ written ──▶ go mod tidy, go build
//	                                                                            │ red: the files as they were
//	                                                                            ▼
//	                                                        .delta-adopt.patch, which --undo applies in reverse
//
// A manager that is made in a way that it does not know stays as it is. The program names the line and says what to write
// there by hand. If it knows none of the managers, that is an error, and it changes nothing.
//
// The same program is an external plugin of kubebuilder: kubebuilder asks it through stdin.
//
// # Testing
//
// The tests adopt and undo small projects of every shape that real operators have shown, and compare them byte for byte.
// test/docs/adopt does the same with what kubebuilder makes, and runs it.
package main
