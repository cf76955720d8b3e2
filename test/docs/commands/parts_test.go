package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// parts are the parts of a command, as a shell would split it.
type parts struct {
	env  []string // NAME=value
	args []string
}

// take splits a command into its parts. It knows quotes, and settings before the program. It
// refuses everything else that needs a shell.
func take(command string) (parts, error) {
	var p parts
	words, err := split(command)
	if err != nil {
		return p, fmt.Errorf("split %q: %w", command, err)
	}
	for len(words) > 0 {
		name, _, ok := strings.Cut(words[0], "=")
		if !ok || strings.ToUpper(name) != name {
			break
		}
		p.env = append(p.env, words[0])
		words = words[1:]
	}
	if len(words) == 0 {
		return p, fmt.Errorf("split %q: it has no program", command)
	}
	p.args = words
	return p, nil
}

func split(command string) (words []string, err error) {
	var word strings.Builder
	quote, started := rune(0), false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case r == ' ':
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		case strings.ContainsRune("|&;<>$`\\(){}*?", r):
			return nil, fmt.Errorf("%q needs a shell", r)
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %q is not closed", quote)
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

// value returns the value of a flag of a command, in either form.
func (p parts) value(flag string) string {
	for i, arg := range p.args {
		if value, ok := strings.CutPrefix(arg, flag+"="); ok {
			return value
		}
		if arg == flag && i+1 < len(p.args) {
			return p.args[i+1]
		}
	}
	return ""
}

// without returns p without a flag and its value.
func (p parts) without(flag string) parts {
	var args []string
	for i := 0; i < len(p.args); i++ {
		switch {
		case strings.HasPrefix(p.args[i], flag+"="):
		case p.args[i] == flag:
			i++
		default:
			args = append(args, p.args[i])
		}
	}
	return parts{env: p.env, args: args}
}

func TestTake(t *testing.T) {
	p, err := take(`A=1 B_C="x y" go test  ./pkg/a -run '^$' -bench=Row0 -benchtime 20ms -v ''`)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"A=1", "B_C=x y"}; !slices.Equal(p.env, want) {
		t.Errorf("the settings are %q, want %q", p.env, want)
	}
	if want := []string{"go", "test", "./pkg/a", "-run", "^$", "-bench=Row0", "-benchtime", "20ms", "-v", ""}; !slices.Equal(p.args, want) {
		t.Errorf("the words are %q, want %q", p.args, want)
	}
	if p.value("-run") != "^$" || p.value("-bench") != "Row0" || p.value("-count") != "" {
		t.Errorf("-run is %q, -bench %q, -count %q", p.value("-run"), p.value("-bench"), p.value("-count"))
	}
	if want := []string{"go", "test", "./pkg/a", "-run", "^$", "-v", ""}; !slices.Equal(p.without("-bench").without("-benchtime").args, want) {
		t.Errorf("without two flags it is %q", p.without("-bench").without("-benchtime").args)
	}
	for _, command := range []string{"", "A=1", "go 'test", "go test | tee", "go test $X", "go list ./*"} {
		if p, err := take(command); err == nil {
			t.Errorf("%q is taken for %q", command, p)
		}
	}
}
