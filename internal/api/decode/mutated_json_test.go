package decode_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// mutable are the types whose objects are changed.
func mutable() []any {
	return append(slices.Clone(oddTypes), &corev1.Pod{}, &corev1.ConfigMap{}, &corev1.Secret{}, &corev1.Node{},
		&autoscalingv2.HorizontalPodAutoscaler{}, &admissionv1.ValidatingAdmissionPolicy{}, &unstructured.Unstructured{})
}

// someObject makes a random object. An unstructured one is made from the text of one of the odd types.
func someObject(rng *rand.Rand, made reflect.Type) any {
	if made != reflect.TypeFor[unstructured.Unstructured]() {
		return random(rng, made, anything...)
	}
	text := encoded(random(rng, reflect.TypeOf(oddTypes[rng.IntN(len(oddTypes))]).Elem(), anything...))
	s := subject{typ: made}
	obj, err := judgeJSON(&s, []byte(text))
	if err != nil {
		panic(err)
	}
	return obj
}

// contents is what is written of an object.
func contents(obj any) any {
	if free, ok := obj.(*unstructured.Unstructured); ok {
		return free.Object
	}
	return obj
}

func TestMutatedJSON(t *testing.T) {
	for _, example := range shareOf(mutable(), inTypes) {
		t.Run(reflect.TypeOf(example).Elem().Name(), func(t *testing.T) {
			var accepted, valid int
			seeds.RunHeavy(t, mutableSeeds, func(t *testing.T, rng *rand.Rand) {
				s := newSubject(t, example)
				obj := someObject(rng, s.typ)
				text := []byte(encoded(contents(obj)))
				likes := kin(rng, obj, someObject(rng, s.typ))
				if !s.holds(t, asJSON, text, likes...) {
					t.Errorf("refused: %s", text)
				}
				likes = likes[:3]
				for range 20 {
					data := mutatedJSON(rng, text)
					if s.holds(t, asJSON, data, append(likes, obj)...) {
						accepted++
					}
					if json.Valid(data) {
						valid++
					}
				}
			})
			if accepted < valid/5 {
				t.Errorf("%d of %d changed objects were accepted", accepted, valid)
			}
		})
	}
}

// mutatedJSON makes a few changes to JSON.
func mutatedJSON(rng *rand.Rand, text []byte) []byte {
	root, space := parseJSON(text), noSpace
	for range rng.IntN(4) {
		root.change(rng)
	}
	if rng.IntN(2) == 0 {
		space = someSpace(rng)
	}
	data := root.bytes(space)
	if len(data) == 0 {
		return data
	}
	switch rng.IntN(8) {
	case 0:
		data[rng.IntN(len(data))] = byte(rng.UintN(256))
	case 1:
		i := rng.IntN(len(data))
		data = slices.Delete(data, i, min(len(data), i+1+rng.IntN(4)))
	case 2:
		data = append(data, []string{" ", "}", "x", ",", "{}", "\x00", "null"}[rng.IntN(7)]...)
	}
	return data
}

// TestEveryPrefix cuts objects off at every byte, or at many if they are long. Nothing but the whole is an object.
func TestEveryPrefix(t *testing.T) {
	var cut turn
	for _, example := range mutable() {
		s := newSubject(t, example)
		rng := rand.New(rand.NewPCG(1, 1))
		obj := someObject(rng, s.typ)
		text := []byte(encoded(contents(obj)))
		for end := 0; end < len(text); end += 1 + len(text)/4000 {
			if !cut.is(inTrials) {
				continue
			}
			for _, like := range []any{nil, obj} {
				if got, _, ok := s.decoder.JSON(slices.Clip(bytes.Clone(text[:end])), like); ok {
					t.Fatalf("%v: %s is %+v", s.typ, text[:end], got)
				}
			}
		}
		if !s.holds(t, asJSON, text, obj) {
			t.Errorf("%v: refused: %s", s.typ, text)
		}
		for _, rest := range []string{" ", "\n", `{"a":1}`, "}", "\x00", "garbage"} {
			_, end, ok := s.decoder.JSON(append(bytes.Clone(text), rest...), obj)
			if !ok || end != len(text) {
				t.Errorf("%v: it ends at %d, %t, want %d: %s", s.typ, end, ok, len(text), text)
			}
		}
	}
}

// TestMembersThatComeTwice has each member come twice: with the same value, with others, and in other letters. Others
// make one of the two, or put one on top of the other.
func TestMembersThatComeTwice(t *testing.T) {
	var trial turn
	for _, example := range []any{&known{}, &collections{}, &dynamics{}, &nested{}, &corev1.ConfigMap{}, &corev1.LimitRange{}, &unstructured.Unstructured{}} {
		s := newSubject(t, example)
		var obj any = &unstructured.Unstructured{Object: map[string]any{"a": map[string]any{"b": []any{map[string]any{"c": "d", "e": int64(1)}}}, "f": "g"}}
		if s.typ != reflect.TypeFor[unstructured.Unstructured]() {
			obj = few(example, 7)
		}
		root := parseJSON([]byte(encoded(contents(obj))))
		for _, at := range root.all() {
			if at.open != '{' {
				continue
			}
			members := at.members
			for i, m := range members {
				for j := range members { // as many members as before
					if !trial.is(inTrials) {
						continue
					}
					at.members = slices.Clone(members)
					at.members[j] = m
					s.holdsAgainst(t, asJSON, root.bytes(noSpace), obj)
				}
				seconds := []member{m, {strings.ToUpper(m.name), m.value}}
				for _, text := range []string{`{}`, `[]`, `null`, `""`, `"x"`, `0`, `{"zz":"1"}`, `{"zz":{}}`, `{"zz":null}`, `["zz"]`, `[{}]`, `{"zz":[]}`} {
					seconds = append(seconds, member{m.name, &value{text: text}})
				}
				for _, second := range seconds {
					for _, where := range []int{i, i + 1, len(members)} {
						if !trial.is(inTrials) {
							continue
						}
						at.members = slices.Insert(slices.Clone(members), where, second)
						s.holdsAgainst(t, asJSON, root.bytes(noSpace), obj)
					}
				}
			}
			at.members = members
		}
	}
}
