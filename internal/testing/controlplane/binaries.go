package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Binary returns the path of a program that was built with those of the control plane,
// such as kubectl.
func Binary(name string) (string, error) {
	folder, err := binaries(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, name), nil
}

// binaries returns the folder that holds the named programs.
func binaries(names ...string) (string, error) {
	folder := os.Getenv("KUBEBUILDER_ASSETS")
	if folder == "" {
		root, err := repository()
		if err != nil {
			return "", err
		}
		folder = filepath.Join(root, "bin", "k8s")
	}
	var missing []string
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		list := strings.Join(missing, " ")
		return "", fmt.Errorf("control plane is not built: no %s in %s: run `make controlplane COMPONENTS=%q` to build it, or set KUBEBUILDER_ASSETS to a folder that has it",
			list, folder, list)
	}
	return folder, nil
}

// repository finds the root of this repository: tests run in their package's folder.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for folder := start; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "hack", "controlplane")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("find the repository: %s is not inside it; set KUBEBUILDER_ASSETS", start)
		}
	}
}
