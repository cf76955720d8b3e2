//go:build slow

package schemas_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestTheFirstTouchesCostsLittle measures what the types of one kind and of several cost, on a real
// server. README.md has the figures. The bounds leave room for other versions of Kubernetes.
func TestTheFirstTouchesCostsLittle(t *testing.T) {
	s := realServer(t) // which also opens the connection
	const kilobyte, mostLives, mostPeak = 1 << 10, 512 << 10, 4 << 20
	for _, kinds := range []string{"Pod", "Deployment", "CustomResourceDefinition", "Pod Deployment CustomResourceDefinition"} {
		all := schemasOf(t, s.config, s.client)
		asked := changes()
		c := costOf(func() any {
			for _, kind := range strings.Fields(kinds) {
				if !asked[kind].touched(all) {
					t.Errorf("%s is not touched", kind)
				}
			}
			return all
		})
		t.Logf("%s: %d KB live, %d KB at the peak", kinds, c.lives/kilobyte, c.peak/kilobyte)
		if c.lives > mostLives || c.peak > mostPeak {
			t.Errorf("%s: %d KB live, want at most %d; %d KB at the peak, want at most %d",
				kinds, c.lives/kilobyte, mostLives/kilobyte, c.peak/kilobyte, mostPeak/kilobyte)
		}
		if _, err := all.TypeOf(corev1.SchemeGroupVersion.WithKind("Pod")); err != nil {
			t.Errorf("the types are not from the server: %v", err)
		}
	}
}
