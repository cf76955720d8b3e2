package decode_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// mutableInProto are the types whose objects are changed.
var mutableInProto = []any{
	&corev1.Pod{}, &corev1.ConfigMap{}, &corev1.Secret{}, &corev1.Node{}, &corev1.LimitRange{}, &corev1.Event{}, &corev1.Service{},
	&autoscalingv2.HorizontalPodAutoscaler{}, &admissionv1.ValidatingAdmissionPolicy{}, &certificatesv1.CertificateSigningRequest{},
	&discoveryv1.EndpointSlice{},
}

func TestMutatedProto(t *testing.T) {
	for _, example := range shareOf(mutableInProto, inTypes) {
		t.Run(reflect.TypeOf(example).Elem().Name(), func(t *testing.T) {
			var accepted, valid int
			seeds.RunHeavy(t, mutableSeeds, func(t *testing.T, rng *rand.Rand) {
				s := newSubject(t, example)
				obj := random(rng, s.typ)
				message := sent(obj)
				likes := []any{obj}
				likes = append(likes, kin(rng, obj, random(rng, s.typ))[:3]...)
				for range 40 {
					data := mutatedProto(rng, message)
					if s.holds(t, asProto, data, likes...) {
						accepted++
					}
					if _, err := judgeProto(s, data); err == nil {
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

// mutatedProto makes a few changes to a message.
func mutatedProto(rng *rand.Rand, message []byte) []byte {
	root, ok := parseProto(message)
	if !ok {
		panic("BUG: a sample can not be taken apart")
	}
	for range 1 + rng.IntN(3) {
		changeProto(rng, &root)
	}
	data := writeProto(nil, root)
	if len(data) == 0 {
		return data
	}
	switch rng.IntN(10) {
	case 0:
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
	case 1:
		data = data[:rng.IntN(len(data))]
	case 2:
		data = append(data, byte(rng.UintN(256)))
	}
	return data
}

// TestEveryCut cuts messages off at every byte. Some of what is left is a message, too.
func TestEveryCut(t *testing.T) {
	var cut turn
	for _, example := range mutableInProto {
		s := newSubject(t, example)
		rng := rand.New(rand.NewPCG(1, 1))
		obj := random(rng, s.typ)
		message := sent(obj)
		for end := 0; end <= len(message); end += 1 + len(message)/2000 {
			if !cut.is(inTrials) {
				continue
			}
			s.holdsAgainst(t, asProto, slices.Clip(bytes.Clone(message[:end])), obj)
		}
		for _, f := range []wireField{{number: 99, sort: 2, bytes: []byte("x")}, {number: 99, value: 1}, {number: 99, sort: 1, bytes: make([]byte, 8)}} {
			if !s.holds(t, asProto, writeProto(bytes.Clone(message), []wireField{f}), obj) {
				t.Errorf("%v: a field that is not known is refused: %+v", s.typ, f)
			}
		}
	}
}

// TestFieldsThatComeTwice has each field and each entry come twice. protobuf makes one of the two.
func TestFieldsThatComeTwice(t *testing.T) {
	var trial turn
	for _, example := range []any{&corev1.Pod{}, &corev1.Node{}} {
		s := newSubject(t, example)
		obj := few(example, 8)
		root, _ := parseProto(sent(obj))
		for i := range messages(&root) {
			for n := range *messages(&root)[i] {
				changed, _ := parseProto(sent(obj))
				at := messages(&changed)[i]
				for other := range *at { // as many fields as before
					if !trial.is(inTrials) {
						continue
					}
					was := (*at)[other]
					(*at)[other] = (*at)[n]
					s.holdsAgainst(t, asProto, writeProto(nil, changed), obj)
					(*at)[other] = was
				}
				for _, where := range []int{n, len(*at)} {
					if !trial.is(inTrials) {
						continue
					}
					*at = slices.Insert(*at, where, (*at)[n])
					s.holdsAgainst(t, asProto, writeProto(nil, changed), obj)
					*at = slices.Delete(*at, where, where+1)
				}
			}
		}
	}
}

// wireField is a field of a message in protobuf that can be written in another way.
type wireField struct {
	number uint64
	sort   uint64
	value  uint64      // of a varint
	bytes  []byte      // of a text, and of a fixed number
	fields []wireField // instead of bytes, if these may be a message
	pad    int         // how many bytes too long the numbers are
}

// parseProto takes a message apart. What may be a message within it is taken for one.
func parseProto(data []byte) (fields []wireField, ok bool) {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 || tag>>3 == 0 {
			return nil, false
		}
		data = data[n:]
		f := wireField{number: tag >> 3, sort: tag & 7}
		var size int
		switch f.sort {
		case 0:
			if f.value, size = binary.Uvarint(data); size <= 0 {
				return nil, false
			}
		case 1, 5:
			size = map[uint64]int{1: 8, 5: 4}[f.sort]
			if size > len(data) {
				return nil, false
			}
			f.bytes = data[:size]
		case 2:
			length, n := binary.Uvarint(data)
			if n <= 0 || length > uint64(len(data)-n) {
				return nil, false
			}
			size = n + int(length)
			f.bytes = data[n:size]
			f.fields, _ = parseProto(f.bytes)
		default:
			return nil, false
		}
		fields, data = append(fields, f), data[size:]
	}
	return fields, true
}

// padded adds a number that is some bytes longer than it has to be.
func padded(to []byte, n uint64, pad int) []byte {
	to = binary.AppendUvarint(to, n)
	for range pad {
		to[len(to)-1] |= 0x80
		to = append(to, 0)
	}
	return to
}

func writeProto(to []byte, fields []wireField) []byte {
	for _, f := range fields {
		to = padded(to, f.number<<3|f.sort, f.pad)
		switch f.sort {
		case 0:
			to = padded(to, f.value, f.pad)
		case 2:
			if f.fields != nil {
				f.bytes = writeProto(nil, f.fields)
			}
			to = append(padded(to, uint64(len(f.bytes)), f.pad), f.bytes...)
		default:
			to = append(to, f.bytes...)
		}
	}
	return to
}

// messages lists all that have fields.
func messages(root *[]wireField) []*[]wireField {
	found := []*[]wireField{root}
	for i := range *root {
		if (*root)[i].fields != nil {
			found = append(found, messages(&(*root)[i].fields)...)
		}
	}
	return found
}

var oddNumbers = []uint64{0, 1, 2, 127, 128, 1 << 31, 1<<31 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1, 1<<64 - 2}

// oddField is one that few know.
func oddField(rng *rand.Rand) wireField {
	f := wireField{number: uint64(1 + rng.IntN(40)), value: oddNumbers[rng.IntN(len(oddNumbers))]}
	if rng.IntN(3) == 0 {
		f.number = []uint64{0, 99, 1<<29 - 1, 1 << 29, 1<<31 - 1, 1 << 32, 1<<32 + 1, 1<<61 - 1}[rng.IntN(8)]
	}
	switch rng.IntN(6) {
	case 0:
		f.sort, f.bytes = 1, make([]byte, 8)
	case 1:
		f.sort, f.bytes = 5, []byte{1, 2, 3, 4}
	case 2:
		f.sort, f.bytes = 2, []byte("\x0a\x00")
	case 3: // a group with a field in it
		f.sort, f.bytes = 3, binary.AppendUvarint([]byte{0x08, 0x01}, f.number<<3|4)
	case 4:
		f.sort = []uint64{3, 4, 6, 7}[rng.IntN(4)] // a group without an end, and what there is not
	}
	return f
}

// changeProto makes one change to a message somewhere.
func changeProto(rng *rand.Rand, root *[]wireField) {
	all := messages(root)
	at := all[rng.IntN(len(all))]
	if len(*at) == 0 {
		*at = append(*at, oddField(rng))
		return
	}
	i := rng.IntN(len(*at))
	f := &(*at)[i]
	switch rng.IntN(10) {
	case 0:
		rng.Shuffle(len(*at), func(i, j int) { (*at)[i], (*at)[j] = (*at)[j], (*at)[i] })
	case 1:
		*at = slices.Insert(*at, rng.IntN(len(*at)+1), *f)
	case 2:
		*at = slices.Insert(*at, i, *f)
	case 3:
		*at = slices.Insert(*at, rng.IntN(len(*at)+1), oddField(rng))
	case 4:
		*at = slices.Delete(*at, i, i+1)
	case 5: // as if it had another type
		other := oddField(rng)
		other.number = f.number
		*f = other
	case 6:
		f.pad = 1 + rng.IntN(10)
	case 7: // packed
		f.bytes = binary.AppendUvarint(binary.AppendUvarint(nil, f.value), 7)
		f.sort, f.fields = 2, nil
	case 8:
		f.sort, f.bytes, f.fields = 2, nil, nil
	default:
		f.number = uint64(1 + rng.IntN(20))
	}
}
