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

func (p *parser) step() error {
	if p.rest[0] == '[' {
		return p.bracket()
	}
	if len(p.path.Steps) > 0 {
		if p.rest[0] != '.' {
			return errors.New("a dot or a bracket has to follow")
		}
		p.rest = p.rest[1:]
	}
	name := p.word()
	if name == "" {
		return errors.New("a name has to follow")
	}
	if n := len(p.path.Steps); n > 0 && !p.path.Steps[n-1].Entry && (Path{Steps: p.path.Steps[:n-1]}).OfLabels() {
		return errors.New(`labels and annotations have nothing below them: write a key that has dots as ["key"]`)
	}
	p.path.Steps = append(p.path.Steps, Step{Kind: Named, Name: name})
	return nil
}

// word takes what can stand without quotes. It is more than [bare], because what
// cannot be meant otherwise may be written so.
func (p *parser) word() string {
	end := strings.IndexFunc(p.rest, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`.[]"'*=,`, r) })
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

// bracket takes a step that is written in brackets.
func (p *parser) bracket() error {
	p.rest = p.rest[1:]
	var s Step
	var err error
	switch {
	case strings.HasPrefix(p.rest, "*"):
		p.rest = p.rest[1:]
		s = Step{Kind: Every}
	case strings.HasPrefix(p.rest, "="):
		p.rest = p.rest[1:]
		s = Step{Kind: Member}
		s.Name, err = p.scalar()
	default:
		s, err = p.nameOrKeys()
	}
	if err != nil {
		return err
	}
	if !strings.HasPrefix(p.rest, "]") {
		return errors.New("a closing bracket has to follow")
	}
	p.rest = p.rest[1:]
	p.path.Steps = append(p.path.Steps, s)
	return nil
}

// nameOrKeys takes a name, an index, or the fields of a key.
func (p *parser) nameOrKeys() (Step, error) {
	quoted := strings.HasPrefix(p.rest, `"`) || strings.HasPrefix(p.rest, "'")
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
		if !strings.HasPrefix(p.rest, "=") {
			return Step{}, errors.New("the value of a key has to follow, after =")
		}
		p.rest = p.rest[1:]
		value, err := p.scalar()
		if err != nil {
			return Step{}, err
		}
		s.Keys = append(s.Keys, KeyField{name, value})
		if !strings.HasPrefix(p.rest, ",") {
			break
		}
		p.rest = p.rest[1:]
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
	if strings.HasPrefix(p.rest, `"`) || strings.HasPrefix(p.rest, "'") {
		return p.quoted()
	}
	end := strings.IndexFunc(p.rest, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`[]"'*=,`, r) })
	if end < 0 {
		end = len(p.rest)
	}
	if end == 0 {
		return "", errors.New("a name, an index, a key or * has to follow")
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	return name, nil
}

// scalar takes the value of a key or a member, and returns it as scalarText does.
func (p *parser) scalar() (string, error) {
	if strings.HasPrefix(p.rest, `"`) || strings.HasPrefix(p.rest, "'") {
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

// quoted takes a string in double quotes, with Go's escapes, or in single quotes,
// with none.
func (p *parser) quoted() (string, error) {
	if p.rest[0] == '\'' {
		text, rest, ok := strings.Cut(p.rest[1:], "'")
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
