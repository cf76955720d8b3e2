package main

import (
	"slices"
	"strings"
)

// A pair is everything that was measured of one variant of a row. The n-th sample of one side
// was taken right before or after the n-th sample of the other.
type pair struct {
	Row       int
	What      string
	Variant   string
	Ours      []metrics
	Incumbent []metrics
}

type metrics map[string]float64

// add sorts the results of one round into the pairs.
func add(pairs []*pair, results []result) []*pair {
	for _, r := range results {
		i := slices.IndexFunc(pairs, func(p *pair) bool {
			return p.Row == r.name.row && p.What == r.name.what && p.Variant == r.name.variant
		})
		if i < 0 {
			i = len(pairs)
			pairs = append(pairs, &pair{Row: r.name.row, What: r.name.what, Variant: r.name.variant})
		}
		if r.name.side == ours {
			pairs[i].Ours = append(pairs[i].Ours, r.metrics)
		} else {
			pairs[i].Incumbent = append(pairs[i].Incumbent, r.metrics)
		}
	}
	return pairs
}

// A comparison is a pair seen through one metric. A side that was not measured
// is zero, and then there are no ratios.
type comparison struct {
	Ours      float64   `json:"ours"`
	Incumbent float64   `json:"incumbent"`
	Ratio     float64   `json:"ratio"` // more is better for us
	Ratios    []float64 `json:"ratios"`
}

// complete reports whether both sides were measured.
func (c *comparison) complete() bool { return len(c.Ratios) > 0 }

// compare takes the median of each side, and the median of the rounds' ratios. The latter is
// not the ratio of the medians: drift between rounds cancels out.
func (p *pair) compare(metric string) comparison {
	var c comparison
	mine, theirs := pick(p.Ours, metric), pick(p.Incumbent, metric)
	for i := range min(len(mine), len(theirs)) {
		c.Ratios = append(c.Ratios, ratio(metric, mine[i], theirs[i]))
	}
	c.Ours, c.Incumbent, c.Ratio = median(mine), median(theirs), median(c.Ratios)
	return c
}

// ratio returns how many times better ours is.
func ratio(metric string, ours, incumbent float64) float64 {
	if strings.HasSuffix(metric, "/s") {
		ours, incumbent = incumbent, ours
	}
	if ours == 0 {
		// Only counts of allocations can be zero. They count as one, so that the ratio is a number
		// and is not too good.
		ours, incumbent = 1, max(incumbent, 1)
	}
	return incumbent / ours
}

func pick(samples []metrics, metric string) []float64 {
	var values []float64
	for _, s := range samples {
		if v, found := s[metric]; found {
			values = append(values, v)
		}
	}
	return values
}

// median is the middle value, or the mean of the two in the middle. Without values it is
// zero.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
