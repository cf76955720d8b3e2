package decode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// value is JSON that can be taken apart and written in another way.
type value struct {
	text    string // of a scalar
	open    byte   // of an object or an array
	members []member
}

type member struct {
	name  string // quoted; of an object
	value *value
}

// parseJSON takes JSON apart. Members stay in their order.
func parseJSON(data []byte) *value {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return parseNext(decoder)
}

func parseNext(decoder *json.Decoder) *value {
	token, err := decoder.Token()
	if err != nil {
		panic(err)
	}
	open, ok := token.(json.Delim)
	if !ok {
		return &value{text: encoded(token)}
	}
	v := &value{open: byte(open)}
	for decoder.More() {
		var m member
		if open == '{' {
			name, err := decoder.Token()
			if err != nil {
				panic(err)
			}
			m.name = encoded(name)
		}
		m.value = parseNext(decoder)
		v.members = append(v.members, m)
	}
	if _, err := decoder.Token(); err != nil {
		panic(err)
	}
	return v
}

func encoded(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// write adds the text of a value, with space wherever there may be some.
func (v *value) write(to *strings.Builder, space func() string) {
	if v.open == 0 {
		to.WriteString(v.text)
		return
	}
	to.WriteByte(v.open)
	to.WriteString(space())
	for i, m := range v.members {
		if i > 0 {
			to.WriteString("," + space())
		}
		if m.name != "" {
			to.WriteString(m.name + space() + ":" + space())
		}
		m.value.write(to, space)
		to.WriteString(space())
	}
	to.WriteByte(v.open + 2)
}

func (v *value) bytes(space func() string) []byte {
	var to strings.Builder
	v.write(&to, space)
	return []byte(to.String())
}

func noSpace() string { return "" }

// all lists a value and what is in it.
func (v *value) all() []*value {
	list := []*value{v}
	for _, m := range v.members {
		list = append(list, m.value.all()...)
	}
	return list
}

// instead is what may stand where something else is expected.
var instead = []string{
	`null`, `true`, `false`, `{}`, `[]`, `""`, `"x"`, `0`, `-0`, `-0.0`, `1.0`, `1e3`, `1E+2`, `-1`, `128`, `-129`, `32768`, `65536`,
	`2147483647`, `2147483648`, `-2147483649`, `4294967296`, `9223372036854775807`, `9223372036854775808`, `18446744073709551615`,
	`18446744073709551616`, `1e400`, `3.5e38`, `1e-400`, `1.5`, `0.1e1`, `12345678901234567890123`, `"1"`, `"1.5"`, `"100m"`, `" 1Ki "`, `"1e3"`,
	`"2026-03-01T12:00:00Z"`, `"2026-03-01T12:00:00.123456Z"`, `"2026-03-01T12:00:00+02:00"`, `"2026-03-01"`, `"5m0s"`, `"AAEC"`, `"AAE="`, `"AA\nE="`, `"!!"`,
	`"\u0041"`, `"\u00e9"`, `"\uD83D\uDE00"`, `"\uD83D"`, `"\uDE00x"`, `"\uD83D\u0041"`, `"\/"`, `"\b\f\n\r\t\"\\"`, `"\x41"`, `"\u12"`, `"\u12G4"`, `"\u0000"`,
	"\"\xff\"", "\"\xc3\xa9\"", "\"\xc3\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xc0\x80\"", "\"\x01\"", "\"\n\"", "\"\x7f\"", "\"\u2028\"", "\"\ufffd\"",
	`{"a":1,"a":2}`, `{"a":{"a":[]},"b":null}`, `{"":""}`, `[null]`, `[1,"x",{}]`, `[[]]`, `{"x":[{"y":{"z":[1.5]}}]}`, `[true,false]`, `["a","b"]`, `{"a":"b"}`,
	`{"a":null}`, `{"b":"1","a":"2"}`, `{"a":"1"}`, `{"a":1}`, `["AA==",null,""]`, `{"cpu":1,"memory":1.5e9,"a":"1Ki"}`, `{"cpu":"\u0031"}`, `{"cpu":-1}`, `{"cpu":12345678901234567890}`,
	// What is no JSON at all.
	`tru`, `nul`, `nulll`, `True`, `01`, `-`, `.5`, `1.`, `1e`, `+1`, `0x10`, `1_000`, `NaN`, `Infinity`, `-Infinity`, `'x'`, `"`, `"x`, `{`, `[`, `}`, `]`, `,`, `[1,]`, `{"a":1,}`,
	`{"a"}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `[1 2]`, `{"a":1 "b":2}`, `[}`, `{]`, ``, ` `, "\x00", "\ufeff1", `1//x`,
}

// names are members that may come where nobody expects them.
var names = []string{
	`"x"`, `"metadata"`, `"METADATA"`, `"Metadata"`, `"kind"`, `"items"`, `""`, `"a"`, `"A"`, `"\u0061"`, `"na\u006de"`, `"name"`, `"Name"`, `"é"`, `"a\"b"`, `"-"`,
	`"spec"`, `"unknown"`, `"\uD800"`, "\"\xff\"", `"i8"`, `"two"`,
}

// change makes one change to a value somewhere, and says what it was.
func (v *value) change(rng *rand.Rand) string {
	all := v.all()
	at := all[rng.IntN(len(all))]
	for range 3 { // more often than not further up
		if at.open != 0 && len(at.members) > 0 {
			break
		}
		at = all[rng.IntN(len(all))]
	}
	kind := rng.IntN(10)
	if at.open == 0 || len(at.members) == 0 || kind < 3 {
		if at == v && kind > 0 {
			return "nothing"
		}
		*at = value{text: instead[rng.IntN(len(instead))]}
		return "a value is " + at.text
	}
	i := rng.IntN(len(at.members))
	m := &at.members[i]
	switch kind {
	case 3:
		rng.Shuffle(len(at.members), func(i, j int) { at.members[i], at.members[j] = at.members[j], at.members[i] })
		return "another order"
	case 4:
		at.members = slices.Insert(at.members, rng.IntN(len(at.members)), *m)
		return "a member twice: " + m.name
	case 5:
		extra := member{value: &value{text: instead[rng.IntN(len(instead))]}}
		if at.open == '{' {
			extra.name = names[rng.IntN(len(names))]
			if rng.IntN(4) == 0 {
				extra.name = m.name
			}
		}
		at.members = slices.Insert(at.members, rng.IntN(len(at.members)+1), extra)
		return "one more member: " + extra.name
	case 6:
		at.members = slices.Delete(at.members, i, i+1)
		return "a member less: " + m.name
	case 7:
		if at.open == '{' {
			m.name = respelled(rng, m.name)
		}
		return "another name: " + m.name
	case 8:
		at.members = at.members[:0]
		return "nothing in it"
	default:
		m.value = wrapped(rng, m.value)
		return "wrapped"
	}
}

// respelled is a name in other letters, or the same ones written in another way.
func respelled(rng *rand.Rand, name string) string {
	switch rng.IntN(4) {
	case 0:
		return strings.ToUpper(name)
	case 1:
		return strings.ToLower(name)
	case 2:
		return names[rng.IntN(len(names))]
	}
	if len(name) < 3 || name[1] >= 0x80 || name[1] == '\\' {
		return name
	}
	return fmt.Sprintf(`"\u%04x%s`, name[1], name[2:])
}

// wrapped is a value within others: a few, or too many.
func wrapped(rng *rand.Rand, v *value) *value {
	for range []int{1, 2, 3, 40, 60, 101}[rng.IntN(6)] {
		if rng.IntN(2) == 0 {
			v = &value{open: '[', members: []member{{value: v}}}
		} else {
			v = &value{open: '{', members: []member{{`"a"`, v}}}
		}
	}
	return v
}

// someSpace is space of each sort, and now and then what only looks like it.
func someSpace(rng *rand.Rand) func() string {
	return func() string {
		switch rng.IntN(2000) {
		case 0:
			return "\v"
		case 1:
			return "\u00a0"
		case 2:
			return "\x00"
		}
		return []string{"", "", "", " ", "\n", "\t", "\r", " \r\n\t "}[rng.IntN(8)]
	}
}
