package main

import (
	"testing"
)

func TestAxisIsReadable(t *testing.T) {
	for _, values := range [][]float64{nil, {1}, {0.9, 1.1}, {0.5, 1.04}, {2}, {3.3}, {0.2, 4}, {7}, {30}, {0.1, 1000}, {1e6}, {0, 0, 1.5}} {
		a := newAxis(values, 100, 500)
		ticks := a.ticks()
		if len(ticks) < enough || len(ticks) > 10 {
			t.Errorf("%v: there are %d ticks: %v", values, len(ticks), ticks)
		}
		ones := 0
		for i, mark := range ticks {
			if mark.At < 100 || mark.At > 500 || i > 0 && mark.At-ticks[i-1].At < 20 {
				t.Errorf("%v: tick %s is at %v: %v", values, mark.Label, mark.At, ticks)
			}
			if mark.One {
				ones++
			}
		}
		if ones != 1 {
			t.Errorf("%v: 1 is named %d times", values, ones)
		}
		for _, v := range values {
			if x := a.at(v); v > 0 && (x < 100 || x > 500) {
				t.Errorf("%v: %v is drawn at %v", values, v, x)
			}
		}
	}
}
