package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An element is one element of a drawing's XML.
type element struct {
	name  string
	of    map[string]string // its attributes
	words string
}

// parsed reads a drawing.
func parsed(t *testing.T, drawing string) []element {
	t.Helper()
	var elements []element
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, drawing)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, of: map[string]string{}}
			for _, a := range token.Attr {
				e.of[a.Name.Local] = a.Value
			}
			elements = append(elements, e)
		case xml.CharData:
			if len(elements) > 0 {
				elements[len(elements)-1].words += string(token)
			}
		}
	}
}

func (e element) number(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.of[name], 64)
	if err != nil {
		t.Fatalf("%s of %+v: %v", name, e, err)
	}
	return v
}

// TestChartsShowWhatTheRunFound reads the ratios back from the drawings, by their own axes.
func TestChartsShowWhatTheRunFound(t *testing.T) {
	r, files := readRun(t, made), render(t, made)
	for _, s := range subjects(r.Lines) {
		t.Run(s.name, func(t *testing.T) {
			drawing := files[s.file()]
			var at []float64 // of the axis: positions, and the ratios there
			var marks []float64
			var ends, gates []float64
			for _, e := range parsed(t, drawing) {
				switch {
				case e.name == "text" && e.of["class"] == "muted middle":
					v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(e.words), "×"), 64)
					if err != nil {
						t.Fatal(err)
					}
					at, marks = append(at, e.number(t, "x")), append(marks, v)
				case e.name == "rect" && e.of["class"] == "better" && e.of["height"] == "10" && e.of["x"] != "0":
					ends = append(ends, e.number(t, "x")+e.number(t, "width"))
				case e.name == "rect" && e.of["class"] == "worse" && e.of["x"] != "128":
					ends = append(ends, e.number(t, "x"))
				case e.name == "line" && strings.HasPrefix(e.of["class"], "gate "):
					gates = append(gates, e.number(t, "x1"))
				}
			}
			if len(marks) < 3 || !slices.Contains(marks, 1) {
				t.Fatalf("the axis names %v", marks)
			}
			last := len(at) - 1
			ratio := func(x float64) float64 {
				return marks[0] * math.Pow(marks[last]/marks[0], (x-at[0])/(at[last]-at[0]))
			}
			for _, row := range s.rows {
				for _, l := range row.lines {
					if l.Least != 0 {
						ends0 := ratio(gates[0])
						gates = gates[1:]
						if math.Abs(ends0-l.Least) > 0.02*l.Least {
							t.Errorf("the gate of %s is drawn at %v, want %v", l.name(), ends0, l.Least)
						}
					}
					if len(l.Found.Ratios) == 0 {
						continue
					}
					if got := ratio(ends[0]); math.Abs(got-l.Found.Ratio) > 0.02*l.Found.Ratio {
						t.Errorf("%s is drawn at %v, want %v", l.name(), got, l.Found.Ratio)
					}
					ends = ends[1:]
				}
			}
			if len(ends) != 0 || len(gates) != 0 {
				t.Errorf("there are %d bars and %d gates too many", len(ends), len(gates))
			}
		})
	}
}

func TestDrawingsTakeAnyText(t *testing.T) {
	l := line{Row: 1, What: `<queue> & "co", it's`, Variant: "a<b|c", Metric: "</svg>", Found: comparison{Ratio: 2, Ratios: []float64{2}}}
	var drawing, table strings.Builder
	all := subjects([]line{l})
	if err := all[0].writeChart(&drawing); err != nil {
		t.Fatal(err)
	}
	words := ""
	for _, e := range parsed(t, drawing.String()) {
		words += e.words
	}
	if !strings.Contains(words, "a<b|c") || !strings.Contains(words, "it's: </svg>") {
		t.Errorf("the drawing says %q", words)
	}
	all[0].writeTable(&table)
	if !strings.Contains(table.String(), `a<b\|c`) {
		t.Errorf("the table is\n%s", table.String())
	}
}
