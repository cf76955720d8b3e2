package decode_test

import (
	"bytes"
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
