// Command image packs a Go program into a container image. It needs only the go command: no
// container engine, no registry, no Dockerfile.
//
//	go -C hack/image run .                                   the sample operator, for linux/amd64 and linux/arm64
//	go -C hack/image run . -platforms linux/arm64            for one platform
//	go -C hack/image run . -package ./some/main -o some.tar  another program of this repository
//
// The image has only the program: one layer over an empty base with the static binary, which
// root owns. It runs as a user that has a number and no name. There are no certificates of
// public authorities. A program in a cluster only talks to the cluster's API server, and the
// certificate for that is mounted beside its token. A program that calls servers outside
// needs another base.
//
// The same sources, toolchain and flags give the same bytes, because the image contains no
// time, no path and no commit.
//
// # The archive
//
// The archive is a tar of an OCI image layout. An index names the image by two annotations:
// containerd uses io.containerd.image.name, and so do `kind load image-archive` and `ctr
// images import`. Others use the annotation of the OCI specification. `docker load` reads such an
// archive since Docker 25.
//
// # What it is made with
//
// go-containerregistry makes layers, configuration and manifests. ko is built on it and does
// more: it pulls a base image, resolves import paths in YAML and pushes the result. Nothing
// of that is needed here, and ko depends on several hundred modules.
//
// # Concurrency
//
// None, except in the go command. The archive gets its name by a rename, so nobody can read
// an incomplete one.
//
// # Testing
//
// The tests pack a small program, have go-containerregistry check the archive against the OCI
// specification, with all digests and sizes in it, and start the program in it.
package main
