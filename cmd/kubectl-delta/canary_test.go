package main

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// canary has an escape sequence, the same as one C1 character, and a turn of direction.
const canary = "\x1b[31m\u009b31m\u202e\r\n"

// deciding are the fields that commands look at.
var deciding = []string{"State", "Op", "Result"}

// poison adds the canary to all strings of a value but those of some fields.
func poison(v reflect.Value, spare []string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), spare)
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i), spare)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(reflect.ValueOf(key.String()+canary), v.MapIndex(key))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !slices.Contains(spare, v.Type().Field(i).Name) {
				poison(v.Field(i), spare)
			}
		}
	case reflect.String:
		v.SetString(v.String() + canary)
	}
}

// poisoned is an inspector whose texts are all poisoned, except some fields.
func poisoned(spare []string) *inspector {
	i := healthy()
	i.answers["deltas"], i.answers["kinds"] = deltas(), kinds()
	for route, answer := range i.answers {
		value := reflect.New(reflect.TypeOf(answer))
		value.Elem().Set(reflect.ValueOf(answer))
		poison(value, spare)
		i.answers[route] = value.Elem().Interface()
	}
	i.events = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "id: 1\x1b[31m\nevent: delta\ndata: {\"kind\": \"\\u001b[31m\", \"name\": \"\\u009b\", \"op\": \"Updated\","+
			" \"edits\": [{\"path\": \"\\u202e\", \"before\": \"\\u001b\"}]}\n\nevent: lost\ndata: {\"count\": 3}\n\nevent: delta\ndata: \x1b[31m\n\n")
	}
	return i
}

func checkHarmless(t *testing.T, got ran) {
	t.Helper()
	for _, r := range got.out + got.errOut {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("it wrote the character %U: %q %q", r, got.out, got.errOut)
			return
		}
	}
}

func TestNoCommandWritesWhatATerminalObeys(t *testing.T) {
	for _, spare := range [][]string{nil, deciding} {
		i := poisoned(spare)
		base := inspect(t, i)
		kind := i.answers["kinds"].(v1.KindList).Items[0].Name
		for _, args := range [][]string{
			{"top"}, {"status"}, {"why", kind + "/x"}, {"history", kind + "/x"}, {"diff", kind + "/x"}, {"queue"}, {"policies"},
			{"memory", kind}, {"relist", kind}, {"resync", kind}, {"policies", "set", kind, "--period", "1m"},
			{"forget", "a" + canary, "b" + canary}, {"cancel", "a", "b"}, {"relist", "x" + canary}, {"watch"}, {"watch", "--diff"}, {canary}, {"--" + canary},
		} {
			for _, output := range []string{"", "json", "yaml"} {
				got := runs(t.Context(), append(args, "--url", base, "-o", output)...)
				checkHarmless(t, got)
				seen := got.out + got.errOut
				if !strings.Contains(seen, `\x1b`) && !strings.Contains(seen, `\u001b`) && !strings.Contains(seen, `\e[`) {
					t.Errorf("%q %s does not show that there is a canary: %q", args, output, seen)
				}
			}
		}
	}
}

func TestNoErrorWritesWhatATerminalObeys(t *testing.T) {
	i := healthy()
	base := inspect(t, i)
	for _, answer := range []any{
		v1.Problem{Status: 404, Message: "no" + canary}, v1.Problem{Status: 500, Message: "no" + canary}, "text" + canary, []string{canary},
	} {
		i.answers["kinds"] = answer
		got := runs(t.Context(), "status", "--url", base)
		checkHarmless(t, got)
		if got.code != exitError {
			t.Errorf("%q: it ended with %d", answer, got.code)
		}
	}
}
