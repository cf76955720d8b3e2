package main

import (
	"math"
	"slices"
	"strconv"
)

// An axis is logarithmic: twice as good is as far from one as half as good.
type axis struct {
	low, high   float64 // ratios
	left, right float64 // where they are drawn
}

const (
	// narrowest is the least that an axis shows to each side of 1.
	narrowest = 1.25
	// margin is how far the axis goes on beyond what is drawn, as a part of its length.
	margin = 0.04
)

// newAxis has room for 1 and the values, between left and right.
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

// enough is how many ticks one can read a chart by.
const enough = 4

// ticks are the coarsest that are enough.
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
			// By way of its text: 1.1 times a tenth is not the number that is written so.
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
