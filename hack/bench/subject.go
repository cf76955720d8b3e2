package main

import (
	"cmp"
	"slices"
	"strings"
)

// A subject is the topic of one chart of the page.
type subject struct {
	name string
	rows []subjectRow
}

// A subjectRow is a row of the table with its lines.
type subjectRow struct {
	number int
	title  string // what is compared, without the name of the subject
	metric string // the metric, if it is the same in all lines
	lines  []line
}

// memory is the subject of all rows that count bytes or allocations.
const memory = "memory"

// whole is the subject of all rows about whole processes. It is what a user feels.
const whole = "end to end"

// subjects groups lines, in the order of their rows, with whole processes at the beginning and memory at the end.
func subjects(lines []line) []subject {
	var all []subject
	for start := 0; start < len(lines); {
		end := start + 1
		for end < len(lines) && lines[end].Row == lines[start].Row {
			end++
		}
		name, row := subjectOf(lines[start:end])
		at := slices.IndexFunc(all, func(s subject) bool { return s.name == name })
		if at < 0 {
			at, all = len(all), append(all, subject{name: name})
		}
		all[at].rows = append(all[at].rows, row)
		start = end
	}
	slices.SortStableFunc(all, func(a, b subject) int {
		return cmp.Compare(place(a.name), place(b.name))
	})
	return all
}

func place(name string) int {
	switch name {
	case whole:
		return 0
	case memory:
		return 2
	default:
		return 1
	}
}

// subjectOf returns the subject that the lines of one row belong to.
func subjectOf(lines []line) (string, subjectRow) {
	first := lines[0]
	row := subjectRow{number: first.Row, title: first.What, metric: first.Metric, lines: lines}
	for _, l := range lines {
		if l.Metric != row.metric {
			row.metric = ""
		}
	}
	if strings.HasPrefix(first.Metric, "allocs") || strings.HasPrefix(first.Metric, "B/") {
		return memory, row
	}
	name, title, found := strings.Cut(first.What, ", ")
	if found {
		row.title = title
	}
	return name, row
}

// file is the name of the chart's file.
func (s *subject) file() string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(s.name)) + ".svg"
}

// readable describes in words what a unit measures.
func readable(metric string) string {
	words := map[string]string{
		"ns/op": "time", "cpu-ns/op": "CPU time", "same-heap-cpu-ns/op": "CPU time in the same heap",
		"p99-ns": "time", "syncs-ns": "time until all are told",
		"events/s": "events a second", "allocs/event": "allocations", "B/item": "bytes", "B/op": "bytes",
		"peak-B/item": "peak memory", "peak/live": "peak memory for what lives",
	}
	return cmp.Or(words[metric], metric)
}

// label is the text beside the line's bar, below the row's title.
func (r *subjectRow) label(l *line) string {
	variant := strings.NewReplacer("=", " ", "/", ", ", "-", " ").Replace(l.Variant)
	if r.metric != "" {
		return cmp.Or(variant, readable(l.Metric))
	}
	return strings.TrimPrefix(variant+", "+readable(l.Metric), ", ")
}

// heading is the text above the row's bars.
func (r *subjectRow) heading() string {
	if r.metric == "" || len(r.lines) == 1 && r.lines[0].Variant == "" {
		return r.title
	}
	return r.title + ": " + readable(r.metric)
}
