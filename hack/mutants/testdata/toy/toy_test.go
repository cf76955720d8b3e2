package toy

import (
	"fmt"
	"os"
	"testing"
)

func TestLarger(t *testing.T) {
	if os.Getenv("SEEDS") == "0" {
		t.Fatal("no seeds")
	}
	for seed := range 5 {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			if got := Larger(seed, 3); got < seed || got < 3 {
				t.Errorf("Larger(%d, 3) = %d", seed, got)
			}
		})
	}
}

func TestNothing(*testing.T) {}
