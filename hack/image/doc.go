// Command image packs a Go program into a container image, with nothing but the go
// command: no container engine, no registry, no Dockerfile.
//
//	go -C hack/image run .                                   the sample operator, for linux/amd64 and linux/arm64
//	go -C hack/image run . -platforms linux/arm64            for one platform
//	go -C hack/image run . -package ./some/main -o some.tar  another program of this repository
//
// The image is the program and nothing else: one layer over an empty base, with the
// static binary owned by root, and a user without a name or a password entry that
// runs it. Certificates of public authorities are left out, because a program in a
// cluster speaks to the cluster's API server, and trusts it by the authority that is
// mounted beside its token. A program that calls the outside needs another base.
//
// The same sources, toolchain and flags give the same bytes: no clock, no path and no
// commit gets in.
//
// # The archive
//
// It is a tar of an OCI image layout. An index names the image in two ways: containerd,
// and so `kind load image-archive` and `ctr images import`, goes by the annotation
// io.containerd.image.name, others by that of the OCI specification. What `docker load`
// needs where it does not read layouts stands in manifest.json beside it, about the
// first platform, because that format knows no second one.
//
// # What it is made with
//
// go-containerregistry makes layers, configuration and manifests. ko, which is built on
// it, does more: it pulls a base image, resolves import paths in YAML and pushes the
// result. Nothing of it is needed here, and it would bring several hundred modules.
//
// # Concurrency
//
// None, but what the go command does. The archive appears by rename, so that nobody ever
// reads half of one.
//
// # Testing
//
// The tests pack a small program, take the archive apart by the letter of the OCI
// specification, without the library that wrote it, and start what is inside.
package main
