package release

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

// tryImage takes the program for this machine out of the image, and runs it.
func tryImage(t *testing.T, folder string) {
	files := map[string][]byte{}
	unpack(t, files, strings.NewReader(read(t, folder, "sample-operator-image.tar")))
	type list struct {
		Manifests, Layers []struct {
			Digest   string
			Platform struct{ OS, Architecture string }
		}
	}
	get := func(name string) (l list) {
		if err := json.Unmarshal(files[name], &l); err != nil {
			t.Fatalf("%s is %s", name, files[name])
		}
		return l
	}
	blob := func(digest string) string { return "blobs/" + strings.ReplaceAll(digest, ":", "/") }
	images := get("index.json").Manifests
	if len(images) != 1 {
		t.Fatalf("the archive's index is %s", files["index.json"])
	}
	platforms := get(blob(images[0].Digest)).Manifests
	if len(platforms) != 2 {
		t.Fatalf("the image's index is %s", files[blob(images[0].Digest)])
	}
	for _, of := range platforms {
		if of.Platform.OS != runtime.GOOS || of.Platform.Architecture != runtime.GOARCH {
			continue
		}
		layer, err := inflated(files[blob(get(blob(of.Digest)).Layers[0].Digest)])
		must(t, err)
		inside := map[string][]byte{}
		unpack(t, inside, layer)
		program := filepath.Join(t.TempDir(), "manager")
		if err := os.WriteFile(program, inside["manager"], 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		place{folder: root}.do(t, program, "--help")
	}
}

func unpack(t *testing.T, into map[string][]byte, from io.Reader) {
	t.Helper()
	for entries := tar.NewReader(from); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		text, err := io.ReadAll(entries)
		must(t, err)
		into[strings.TrimPrefix(header.Name, "/")] = text
	}
}

// tryOperator has kubectl install the operator, and then Helm in another namespace. Its Pods run nothing here, and what
// cert-manager would do nobody does.
func tryOperator(t *testing.T, folder string) {
	plane := controlplane.ForTest(t, controlplane.Options{Workloads: true})
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, controlplane.WriteKubeconfig(kubeconfig, plane.Config()))
	env := []string{"KUBECONFIG=" + kubeconfig, "HELM_CACHE_HOME=" + t.TempDir(), "HELM_CONFIG_HOME=" + t.TempDir(), "HELM_DATA_HOME=" + t.TempDir()}
	kubectl := func(args ...string) string { return place{folder: root, env: env}.do(t, "bin/k8s/kubectl", args...) }
	helm := func(args ...string) string { return place{folder: root, env: env}.do(t, "bin/helm", args...) }
	for _, kind := range []string{"Issuer", "Certificate"} {
		of := schema.GroupVersionKind{Group: "cert-manager.io", Version: "v1", Kind: kind}
		text, err := json.Marshal(manifests.Definition(of, manifests.Anything()))
		must(t, err)
		at := filepath.Join(t.TempDir(), "definition.json")
		must(t, os.WriteFile(at, text, 0o600))
		kubectl("create", "-f", at)
		kubectl("wait", "--for=condition=Established", "--timeout=60s", "-f", at)
	}
	image := "ghcr.io/delta-runtime/sample-operator:" + version
	runs := func(namespace, replicas string) {
		t.Helper()
		await.Within(t, time.Minute, "the operator's Pods in "+namespace, func() error {
			said := kubectl("get", "deployment", "--namespace", namespace, "--output",
				"jsonpath={range .items[*]}{.metadata.name} {.spec.template.spec.containers[0].image} {.status.readyReplicas}{end}")
			if want := "sample-operator-controller-manager " + image + " " + replicas; said != want {
				return fmt.Errorf("they are %q, want %q", said, want)
			}
			return nil
		})
	}
	install := filepath.Join(folder, "install.yaml")
	kubectl("apply", "-f", install)
	runs("sample-operator-system", "2")
	kubectl("delete", "--wait", "-f", install)

	chart := filepath.Join(folder, "sample-operator-"+strings.TrimPrefix(version, "v")+".tgz")
	helm("lint", "--strict", chart)
	helm("install", "sites", chart, "--namespace", "elsewhere", "--create-namespace", "--set", "replicas=1")
	runs("elsewhere", "1")
	if said := kubectl("get", "clusterrolebindings,validatingwebhookconfigurations", "--output", "yaml"); strings.Contains(said, "sample-operator-system") {
		t.Error("what Helm installs names the namespace of install.yaml")
	}
	kubectl("get", "sites.web.example.com", "--all-namespaces")
	helm("uninstall", "sites", "--namespace", "elsewhere")
}

// inflated returns what a layer has, which may be compressed.
func inflated(layer []byte) (io.Reader, error) {
	if !bytes.HasPrefix(layer, []byte{0x1f, 0x8b}) {
		return bytes.NewReader(layer), nil
	}
	return gzip.NewReader(bytes.NewReader(layer))
}
