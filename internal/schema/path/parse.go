package path

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Parse reads the text of a [Path]. It is lenient where no two things could be
// meant: a dot may come first, quotes may be single, and what has only one spelling
// may go without. Keys of labels and annotations that have dots in them need brackets.
// It does not know whether any object can have such a field; [Check] does.
func Parse(text string) (Path, error) {
	p := parser{rest: strings.TrimPrefix(text, ".")}
	for p.rest != "" {
		if err := p.step(); err != nil {
			return Path{}, fmt.Errorf("parse path %s at byte %d: %w", Cut(strconv.Quote(text), MaxPath), len(text)-len(p.rest), err)
		}
	}
	return p.path, nil
}

// parser holds the path so far and what of the text is left.
type parser struct {
	path Path
	rest string
}

// take takes a mark if it comes next.
func (p *parser) take(mark string) (taken bool) {
	p.rest, taken = strings.CutPrefix(p.rest, mark)
	return taken
}

// until takes what stands before the next space, quote or mark, or the end.
func (p *parser) until(marks string) string {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return r <= ' ' || strings.ContainsRune(marks, r) })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

func (p *parser) step() error {
	if p.take("[") {
		return p.bracket()
	}
	if len(p.path.Steps) > 0 && !p.take(".") {
		return errors.New("a dot or a bracket has to follow")
	}
	// This is more than [bare], because what cannot be meant otherwise may be written without quotes.
	name := p.until(`.[]"'*=,`)
	if name == "" {
		return errors.New("a name has to follow")
	}
	if n := len(p.path.Steps); n > 0 && !p.path.Steps[n-1].Entry && (Path{Steps: p.path.Steps[:n-1]}).OfLabels() {
		return errors.New(`labels and annotations have nothing below them: write a key that has dots as ["key"]`)
	}
	p.path.Steps = append(p.path.Steps, Step{Kind: Named, Name: name})
	return nil
}

// bracket takes a step that is written in brackets. The first one has been taken.
func (p *parser) bracket() error {
	var s Step
	var err error
	switch {
	case p.take("*"):
		s = Step{Kind: Every}
	case p.take("="):
		s = Step{Kind: Member}
		s.Name, err = p.scalar()
	default:
		s, err = p.nameOrKeys()
	}
	if err != nil {
		return err
	}
	if !p.take("]") {
		return errors.New("a closing bracket has to follow")
	}
	p.path.Steps = append(p.path.Steps, s)
	return nil
}

// nameOrKeys takes a name, an index, or the fields of a key.
func (p *parser) nameOrKeys() (Step, error) {
	quoted := p.quotes()
	name, err := p.key()
	if err != nil {
		return Step{}, err
	}
	if strings.HasPrefix(p.rest, "=") {
		return p.keys(name)
	}
	if index, err := strconv.Atoi(name); err == nil && !quoted && index >= 0 {
		return Step{Kind: Place, Index: index}, nil
	}
	return Step{Kind: Named, Name: name, Entry: true}, nil
}

// keys takes the fields of a key. The name of the first one has been taken.
func (p *parser) keys(name string) (Step, error) {
	s := Step{Kind: Element}
	for {
		if !p.take("=") {
			return Step{}, errors.New("the value of a key has to follow, after =")
		}
		value, err := p.scalar()
		if err != nil {
			return Step{}, err
		}
		s.Keys = append(s.Keys, KeyField{name, value})
		if !p.take(",") {
			break
		}
		if name, err = p.key(); err != nil {
			return Step{}, err
		}
	}
	s.SortKeys()
	for i := range s.Keys[1:] {
		if s.Keys[i].Name == s.Keys[i+1].Name {
			return Step{}, fmt.Errorf("%s is given twice", bareOrQuoted(s.Keys[i].Name))
		}
	}
	return s, nil
}

// key takes a name inside brackets, where dots need no quotes.
func (p *parser) key() (string, error) {
	if p.quotes() {
		return p.quoted()
	}
	name := p.until(`[]"'*=,`)
	if name == "" {
		return "", errors.New("a name, an index, a key or * has to follow")
	}
	return name, nil
}

// scalar takes the value of a key or a member, and returns it as scalarText does.
func (p *parser) scalar() (string, error) {
	if p.quotes() {
		s, err := p.quoted()
		return strconv.Quote(s), err
	}
	word, err := p.key()
	if err != nil {
		return "", errors.New("a value has to follow")
	}
	if number, err := strconv.ParseInt(word, 10, 64); err == nil {
		return strconv.FormatInt(number, 10), nil
	}
	if number, err := strconv.ParseFloat(word, 64); err == nil && strings.ContainsAny(word[:1], "+-0123456789") {
		return floatText(number), nil // a name like nan or infinity is none
	}
	if word == "true" || word == "false" || word == "null" {
		return word, nil
	}
	return strconv.Quote(word), nil
}

// quotes reports whether a string in quotes comes next.
func (p *parser) quotes() bool {
	return strings.HasPrefix(p.rest, `"`) || strings.HasPrefix(p.rest, "'")
}

// quoted takes a string in double quotes, with Go's escapes, or in single quotes,
// with none.
func (p *parser) quoted() (string, error) {
	if p.take("'") {
		text, rest, ok := strings.Cut(p.rest, "'")
		if !ok {
			return "", errors.New("the quotes are not closed")
		}
		p.rest = rest
		return text, nil
	}
	prefix, err := strconv.QuotedPrefix(p.rest)
	if err != nil {
		return "", errors.New("the quotes are not closed, or what is in them is not a string")
	}
	text, err := strconv.Unquote(prefix)
	if err != nil {
		return "", fmt.Errorf("unquote: %w", err)
	}
	p.rest = p.rest[len(prefix):]
	return text, nil
}
