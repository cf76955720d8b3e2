package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A rowSet is a set of row numbers. The empty set stands for all rows.
type rowSet map[int]bool

// has reports whether the row is wanted.
func (s rowSet) has(row int) bool { return len(s) == 0 || s[row] }

// String is the form that Set reads.
func (s rowSet) String() string {
	var parts []string
	for _, row := range slices.Sorted(maps.Keys(s)) {
		parts = append(parts, strconv.Itoa(row))
	}
	return strings.Join(parts, ",")
}

// Set adds numbers and ranges of numbers, separated by commas.
func (s rowSet) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, errFrom := strconv.Atoi(first)
		to, errTo := strconv.Atoi(last)
		if errFrom != nil || errTo != nil || from < 1 || to < from || to > lastRow {
			return fmt.Errorf("%q is neither a row nor a range of rows up to %d", part, lastRow)
		}
		for row := from; row <= to; row++ {
			s[row] = true
		}
	}
	return nil
}
