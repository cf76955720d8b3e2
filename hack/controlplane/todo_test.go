package main

import (
	"strings"
	"testing"
	"time"
)

// twoToDo returns a todo with two packages to compile, and two programs to link.
func twoToDo() *todo {
	return newTodo("example.com/big\tbuild ID mismatch\nexample.com/small\tstale dependency: example.com/big\n"+
		"example.com/program\t"+onlyLink+"\n\n", 2)
}

func TestTodoCountsWhatIsNotCompiled(t *testing.T) {
	todo := twoToDo()
	if got, want := todo.plan(), "2 packages to compile"; got != want {
		t.Errorf("the plan is %q, want %q", got, want)
	}
	for line, want := range map[string]bool{
		"example.com/other": false, // compiled already
		"# example.com/big": false,
		"example.com/big":   true,
	} {
		if todo.started(line) != want {
			t.Errorf("%q is taken: %t, want %t", line, !want, want)
		}
	}
	if todo.started("example.com/big") {
		t.Error("a package was begun twice")
	}
}

func TestTodoExpectsWhatItHasSeen(t *testing.T) {
	todo := twoToDo()
	if got := todo.report(time.Minute); strings.Contains(got, "to go") {
		t.Errorf("it estimates the time before anything is done: %q", got)
	}
	todo.started("example.com/big")
	if got, want := todo.report(30*time.Second), "compiled 1 of 2 packages in 30s, at this speed 20m30s to go"; got != want {
		t.Errorf("in the middle it says %q, want %q", got, want)
	}
	if got := todo.report(3 * time.Second); strings.Contains(got, "to go") {
		t.Errorf("it estimates the time after only a moment: %q", got)
	}
	todo.started("example.com/small")
	if got, want := todo.report(33*time.Second), "linking, 33s so far"; got != want {
		t.Errorf("in the end it says %q, want %q", got, want)
	}
}

func TestTodoOfAWarmMachineIsToLink(t *testing.T) {
	todo := newTodo("example.com/program\t"+onlyLink+"\n", 1)
	if got, want := todo.plan(), "everything is compiled, linking"; got != want {
		t.Errorf("the plan is %q, want %q", got, want)
	}
}
