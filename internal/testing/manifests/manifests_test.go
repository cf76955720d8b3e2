package manifests_test

import (
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/manifests"
)

func TestBuildSaysWhatIsMissing(t *testing.T) {
	_, err := manifests.Build(t.Context(), t.TempDir(), "config/default")
	if err == nil || !strings.Contains(err.Error(), "make bin/kustomize") || !strings.Contains(err.Error(), "config/default") {
		t.Errorf("without kustomize: %v", err)
	}
}
