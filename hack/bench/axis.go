package main

import (
	"math"
	"slices"
	"strconv"
)

// An axis is logarithmic: the ratios 2 and 1/2 are equally far from 1.
type axis struct {
	low, high   float64 // ratios
	left, right float64 // where they are drawn
}

const (
	// narrowest is the smallest range that an axis shows on each side of 1.
	narrowest = 1.25
	// margin is how far the axis continues beyond the last value, as a part of its length.
	margin = 0.04
)

// newAxis returns an axis between left and right, with room for 1 and the values.
func newAxis(values []float64, left, right float64) axis {
	low, high := 1/narrowest, narrowest
	for _, v := range values {
		if v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	more := math.Pow(high/low, margin)
	return axis{low: low / more, high: high * more, left: left, right: right}
}

// at is where a ratio is drawn.
func (a axis) at(ratio float64) float64 {
	return a.left + (a.right-a.left)*math.Log(ratio/a.low)/math.Log(a.high/a.low)
}

// A tick is a ratio that the axis names.
type tick struct {
	At    float64
	Label string
	One   bool // as good as the incumbent
}

// steps are how ticks can divide a decade, from coarse to fine.
var steps = [][]float64{
	{1},
	{1, 2, 5},
	{1, 1.2, 1.5, 2, 3, 5, 8},
	{1, 1.1, 1.2, 1.3, 1.4, 1.5, 2, 3, 4, 5, 6, 7, 8, 9},
}

// enough is how many ticks a chart needs to be readable.
const enough = 4

// ticks are the coarsest ticks that are enough.
func (a axis) ticks() []tick {
	var found []tick
	for _, step := range steps {
		if found = a.divide(step); len(found) >= enough {
			break
		}
	}
	return found
}

func (a axis) divide(step []float64) []tick {
	var found []tick
	first, last := int(math.Floor(math.Log10(a.low))), int(math.Floor(math.Log10(a.high)))
	for exponent := first; exponent <= last; exponent++ {
		for _, part := range step {
			// The number is parsed from its text, because 1.1 times 0.1 is not exactly the number that
			// its text names.
			label := strconv.FormatFloat(part*math.Pow10(exponent), 'g', 3, 64)
			value, err := strconv.ParseFloat(label, 64)
			if err != nil {
				panic("BUG: " + err.Error())
			}
			if value >= a.low && value <= a.high {
				label = strconv.FormatFloat(value, 'f', -1, 64) + "×"
				found = append(found, tick{At: a.at(value), Label: label, One: value == 1})
			}
		}
	}
	return slices.CompactFunc(found, func(x, y tick) bool { return x.Label == y.Label })
}
