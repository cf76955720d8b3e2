package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const (
	ours      = "ours"
	incumbent = "incumbent"
)

// sides are the two that take turns.
var sides = [...]string{ours, incumbent}

// A result is one line of a benchmark's output.
type result struct {
	name    benchName
	metrics map[string]float64 // by unit
}

// A benchName has the parts of the name of a row's benchmark.
type benchName struct {
	row     int
	what    string
	variant string // the elements between what and side; empty if there are none
	side    string
}

var (
	rowName = regexp.MustCompile(`^BenchmarkRow([0-9]{2})_([^/]+)$`)
	procs   = regexp.MustCompile(`-[0-9]+$`) // GOMAXPROCS, appended unless it is 1
)

// parseName splits a name into its parts. It is not ok if the name does not belong to a row.
func parseName(name string) (n benchName, ok bool) {
	elements := strings.Split(procs.ReplaceAllString(name, ""), "/")
	last := len(elements) - 1
	match := rowName.FindStringSubmatch(elements[0])
	if match == nil || (elements[last] != ours && elements[last] != incumbent) {
		return benchName{}, false
	}
	row, err := strconv.Atoi(match[1])
	if err != nil {
		panic(fmt.Sprintf("BUG: two digits are not a number: %v", err))
	}
	return benchName{row: row, what: match[2], variant: strings.Join(elements[1:last], "/"), side: elements[last]}, true
}

// parse reads the output of a test binary: the results of rows, and the name of the
// processor. It skips other lines, because benchmarks and the code that they call may log.
func parse(r io.Reader) (results []result, cpu string, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if model, found := strings.CutPrefix(line, "cpu: "); found {
			cpu = model
			continue
		}
		if result, ok := parseLine(line); ok {
			results = append(results, result)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, "", fmt.Errorf("read benchmark output: %w", err)
	}
	return results, cpu, nil
}

// parseLine reads "Name iterations (value unit)…".
func parseLine(line string) (result, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 || len(fields)%2 != 0 {
		return result{}, false
	}
	name, ok := parseName(fields[0])
	if !ok {
		return result{}, false
	}
	if n, err := strconv.Atoi(fields[1]); err != nil || n < 1 {
		return result{}, false
	}
	metrics := make(map[string]float64)
	for i := 2; i < len(fields); i += 2 {
		value, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
			return result{}, false
		}
		metrics[fields[i+1]] = value
	}
	return result{name, metrics}, true
}
