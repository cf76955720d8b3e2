package decode_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
)

// TestOwners reads the owner that controls an object, wherever it stands and whatever is said of others.
func TestOwners(t *testing.T) {
	yes, no := true, false
	owner := func(uid types.UID, controls *bool) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "v1", Kind: "Thing", Name: "of-" + string(uid), UID: uid, Controller: controls}
	}
	for _, owners := range [][]metav1.OwnerReference{
		nil, {owner("a", nil)}, {owner("a", &no)}, {owner("a", &yes)}, {owner("a", &no), owner("b", &yes)},
		{owner("a", nil), owner("b", &no), owner("c", &yes)}, {owner("a", &yes), owner("b", &yes)}, {owner("a", &yes), owner("b", &no)},
	} {
		obj := &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{Kind: "Thing", APIVersion: "example.com/v1"},
			ObjectMeta: metav1.ObjectMeta{Name: "name", Namespace: "space", UID: "uid", ResourceVersion: "17", OwnerReferences: owners},
		}
		data := []byte(encoded(obj))
		headOfJSON(t, data, true)
		headOfProto(t, sent(obj))
		head, ok := decode.ReadHead(data, true)
		if !ok || string(head.Kind) != "Thing" || string(head.APIVersion) != "example.com/v1" {
			t.Errorf("the head is %q, %q, %t: %s", head.Kind, head.APIVersion, ok, data)
		}
		if _, ok := newSubject(t, obj).codec.ReadProtoHead(sent(obj)); !ok {
			t.Errorf("there is no head in %q", sent(obj))
		}
	}
}

// TestIs compares heads with what is known of an object.
func TestIs(t *testing.T) {
	head, ok := decode.ReadHead([]byte(`{"metadata":{"name":"a","uid":"b","resourceVersion":"1"}}`), false)
	none, also := decode.ReadHead([]byte(`{"metadata":{"name":"a","uid":"b"}}`), false)
	if !ok || !also || !head.Is("b", "1") || head.Is("b", "2") || head.Is("c", "1") || head.Is("", "1") || head.Is("b", "") || none.Is("b", "") {
		t.Errorf("%+v or %+v is something else", head, none)
	}
}
