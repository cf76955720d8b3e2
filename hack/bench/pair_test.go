package main

import (
	"slices"
	"testing"
)

func samples(metric string, values ...float64) []metrics {
	var all []metrics
	for _, v := range values {
		all = append(all, metrics{metric: v})
	}
	return all
}

// The machine is three times as slow in the second round, for both sides. So the ratio of the
// medians is 3, but the median of the rounds' ratios is 2.
func TestCompareTakesRatiosRoundByRound(t *testing.T) {
	p := pair{Ours: samples("ns/op", 100, 300, 110), Incumbent: samples("ns/op", 200, 600, 330)}
	got := p.compare("ns/op")
	if !slices.Equal(got.Ratios, []float64{2, 2, 3}) || got.Ratio != 2 {
		t.Errorf("ratios are %v, their median %v; want 2, 2, 3 and 2", got.Ratios, got.Ratio)
	}
	if got.Ours != 110 || got.Incumbent != 330 {
		t.Errorf("medians are %v and %v, want 110 and 330", got.Ours, got.Incumbent)
	}
}

func TestRatioIsBetterWhenHigher(t *testing.T) {
	for _, tt := range []struct {
		metric          string
		ours, incumbent float64
		want            float64
	}{
		{"ns/op", 50, 100, 2},
		{"events/s", 200, 100, 2},
		{"B/item", 200, 100, 0.5},
		{"allocs/op", 0, 3, 3},
		{"allocs/op", 0, 0, 1},
	} {
		if got := ratio(tt.metric, tt.ours, tt.incumbent); got != tt.want {
			t.Errorf("ratio of %v to %v %s is %v, want %v", tt.ours, tt.incumbent, tt.metric, got, tt.want)
		}
	}
}

func TestCompareOfOneSideIsIncomplete(t *testing.T) {
	p := pair{Incumbent: samples("ns/op", 100)}
	if got := p.compare("ns/op"); got.complete() || got.Incumbent != 100 {
		t.Errorf("got %+v, want the incumbent's 100 and no ratio", got)
	}
	p.Ours = samples("cpu-ns/op", 100)
	if got := p.compare("ns/op"); got.complete() {
		t.Errorf("got %+v from a side that reports another metric", got)
	}
}

func TestAddKeepsVariantsApart(t *testing.T) {
	var pairs []*pair
	for range 2 {
		for _, side := range sides {
			pairs = add(pairs, []result{
				{benchName{7, "A", "", side}, metrics{"ns/op": 1}},
				{benchName{7, "A", "x=1", side}, metrics{"ns/op": 1}},
				{benchName{4, "B", "", side}, metrics{"ns/op": 1}},
			})
		}
	}
	if len(pairs) != 3 || pairs[0].Variant != "" || pairs[1].Variant != "x=1" || pairs[2].Row != 4 {
		t.Fatalf("pairs are %+v", pairs)
	}
	for _, p := range pairs {
		if len(p.Ours) != 2 || len(p.Incumbent) != 2 {
			t.Errorf("%+v has not two samples of each side", p)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median of %v is %v, want %v", tt.values, got, tt.want)
		}
	}
}
