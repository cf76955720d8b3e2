package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// runFile is the file in which the page keeps its run. It is in a folder beside the page.
const runFile = "run.json"

// writePage writes the page, and the run into a folder of the same name.
func (r *report) writePage(file string) error {
	folder := strings.TrimSuffix(file, ".md")
	if folder == file {
		return fmt.Errorf("write the page: %s does not end in .md", file)
	}
	if err := toFile(file, r.page()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	run, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = toFile(filepath.Join(folder, runFile), string(run)+"\n")
	}
	if err != nil {
		return fmt.Errorf("keep the run: %w", err)
	}
	return nil
}

// preface is what the page says before its figures.
//
//go:embed preface.md
var preface string

// page is the page's text. It has a table for each subject.
func (r *report) page() string {
	var text strings.Builder
	text.WriteString(preface)
	r.writeFacts(&text)
	for _, name := range subjects(r.Lines) {
		fmt.Fprintf(&text, "\n## %s\n\n", strings.ToUpper(name[:1])+name[1:])
		text.WriteString("| row | | by | ratio | spread | rounds | gate | |\n|---:|---|---|---:|---:|---:|---:|---|\n")
		for i := range r.Lines {
			if of, title := r.Lines[i].subject(); of == name {
				r.Lines[i].write(&text, title)
			}
		}
	}
	return text.String()
}

// writeFacts says how the figures were measured, and how many gates were reached.
func (r *report) writeFacts(text *strings.Builder) {
	fmt.Fprintf(text, "| | |\n|---|---|\n")
	fact := func(name, value string) { fmt.Fprintf(text, "| %s | %s |\n", name, cell(value)) }
	fact("machine", fmt.Sprintf("%s, %d cores, %s/%s", r.Machine.CPU, r.Machine.Cores, r.Machine.OS, r.Machine.Arch))
	fact("Go", r.Machine.Go)
	fact("commit", r.Commit)
	fact("objects", strconv.Itoa(r.Size))
	fact("made by", "`make bench-report`")
	judged, held := r.gates()
	fmt.Fprintf(text, "\n%d of %d gates are reached.\n", held, judged)
	for _, f := range r.Failures {
		reason, _, _ := strings.Cut(f.Reason, "\n")
		fmt.Fprintf(text, "\nRow %d went wrong: %s\n", f.Row, reason)
	}
}

// write writes the line of a subject's table.
func (l *line) write(text *strings.Builder, title string) {
	ratio, spread, verdict := "not measured", "", ""
	if l.Found.complete() {
		ratio = short(l.Found.Ratio) + "×"
		spread = short(slices.Min(l.Found.Ratios)) + "–" + short(slices.Max(l.Found.Ratios)) + "×"
	}
	if l.Holds != nil {
		verdict = map[bool]string{true: "reached", false: "**missed**"}[*l.Holds]
		if l.Most != 0 {
			verdict += ", " + short(l.Found.Ours)
		}
	}
	fmt.Fprintf(text, "| %d | %s | %s | %s | %s | %d | %s | %s |\n", l.Row, cell(strings.TrimSuffix(title+": "+l.Variant, ": ")),
		cell(readable(l.Metric)), ratio, spread, len(l.Found.Ratios), l.Gate, verdict)
}

// cell escapes a text so that it can't end its cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// subjects are the topics of the tables, in the order of their rows. Only whole processes come
// first, because they are what a user feels.
func subjects(lines []line) (names []string) {
	for i := range lines {
		switch name, _ := lines[i].subject(); {
		case slices.Contains(names, name):
		case name == "end to end":
			names = slices.Insert(names, 0, name)
		default:
			names = append(names, name)
		}
	}
	return names
}

// subject is the subject that the line's row belongs to, and what the row is about there.
func (l *line) subject() (name, title string) {
	name, title, found := strings.Cut(l.What, ", ")
	if !found {
		title = l.What
	}
	return name, title
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
