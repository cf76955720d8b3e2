package main

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// The positions of things in a chart, in pixels.
const (
	chartWidth  = 900.0
	labelsAt    = 16.0
	barsFrom    = 344.0
	barsTo      = 710.0
	ratiosAt    = 790.0 // their right end
	gatesAt     = 804.0
	chartTop    = 34.0 // below the axis' labels
	rowHeight   = 28.0
	lineHeight  = 20.0
	legendSpace = 46.0
)

// A chart is a subject, ready to be drawn.
type chart struct {
	Title, Description string
	Width, Height      float64
	Top, Bottom        float64
	Labels             float64
	RatiosAt, GatesAt  float64
	Ticks              []tick
	Headings           []heading
	Bars               []bar
}

type heading struct {
	Y    float64
	Text string
}

// A bar is a line's ratio: it goes from 1 to the median, and its spread from the
// smallest to the largest of the rounds.
type bar struct {
	Y, Left, Width float64
	From, To       float64
	Label          string
	Ratio          string
	Class          string  // better, worse, or none if it was not measured
	Gate           string  // as text
	GateAt         float64 // 0 if the gate is not a ratio
	Verdict        string  // held, missed, or nothing
}

// newChart computes the positions for a subject.
func newChart(s *subject) chart {
	scale := newAxis(s.values(), barsFrom, barsTo)
	c := chart{
		Title:       s.name + ": ours against the incumbent",
		Description: s.describe(),
		Width:       chartWidth, Top: chartTop, Labels: labelsAt, RatiosAt: ratiosAt, GatesAt: gatesAt,
		Ticks: scale.ticks(),
	}
	y := chartTop
	for i := range s.rows {
		row := &s.rows[i]
		c.Headings = append(c.Headings, heading{Y: y + rowHeight/2, Text: row.heading()})
		y += rowHeight
		for j := range row.lines {
			c.Bars = append(c.Bars, newBar(row.label(&row.lines[j]), &row.lines[j], scale, y+lineHeight/2))
			y += lineHeight
		}
	}
	c.Bottom = y + 8
	c.Height = c.Bottom + legendSpace
	return c
}

// values returns all ratios that the subject's axis needs room for.
func (s *subject) values() []float64 {
	var values []float64
	for _, row := range s.rows {
		for i := range row.lines {
			values = append(values, row.lines[i].Least, row.lines[i].Found.Ratio)
			values = append(values, row.lines[i].Found.Ratios...)
		}
	}
	return values
}

func newBar(label string, l *line, scale axis, y float64) bar {
	b := bar{Y: y, Label: label, Ratio: "not measured", Class: "none"}
	if l.Least != 0 {
		b.GateAt = scale.at(l.Least)
	}
	if l.Holds != nil {
		b.Gate, b.Verdict = l.Gate, map[bool]string{true: "held", false: "missed"}[*l.Holds]
	}
	if !l.Found.complete() {
		return b
	}
	one, end := scale.at(1), scale.at(l.Found.Ratio)
	b.Left, b.Width = min(one, end), max(one, end)-min(one, end)
	b.From, b.To = scale.at(slices.Min(l.Found.Ratios)), scale.at(slices.Max(l.Found.Ratios))
	b.Ratio = short(l.Found.Ratio) + "×"
	b.Class = "better"
	if l.Found.Ratio < 1 {
		b.Class = "worse"
	}
	return b
}

// describe describes the chart in words, for readers who can't see it.
func (s *subject) describe() string {
	lines, better, judged, missed := 0, 0, 0, 0
	for _, row := range s.rows {
		for _, l := range row.lines {
			lines++
			if l.Found.complete() && l.Found.Ratio >= 1 {
				better++
			}
			if l.Holds != nil {
				judged++
				if !*l.Holds {
					missed++
				}
			}
		}
	}
	return fmt.Sprintf("Bars of %d ratios on a logarithmic axis. Ours is as good or better in %d of them. Of %d gates %d %s missed. The table below has the figures.",
		lines, better, judged, missed, map[bool]string{true: "is", false: "are"}[missed == 1])
}

//go:embed chart.svg.tmpl
var chartTemplate string

var drawing = template.Must(template.New("chart").Funcs(template.FuncMap{
	"px":   func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) },
	"add":  func(v, more float64) float64 { return v + more },
	"text": escape,
}).Parse(chartTemplate))

func escape(text string) (string, error) {
	var escaped strings.Builder
	err := xml.EscapeText(&escaped, []byte(text))
	return escaped.String(), err
}

// writeChart draws the subject as SVG.
func (s *subject) writeChart(w io.Writer) error {
	return drawing.Execute(w, newChart(s))
}
