package decode_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The types of this file are what users write for their own kinds, with each odd thing that one can do.

// object is what all of them have.
type object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// nested embeds, hides and is found in itself.
type nested struct {
	object
	Outer  string `json:"outer,omitempty"`
	Hidden string `json:"hidden"`
	inner
	Untagged,
	untagged string //nolint:unused // being there is all
	Skipped string `json:"-"`
	Dash    string `json:"-,"` //nolint:staticcheck // this is how to give it that name
	Spec    struct {
		Deep  `json:",inline"`
		Same  string `json:"same"`
		SAME  string `json:"SAME"`
		Empty struct{}
	} `json:"spec"`
	Next *nested            `json:"next,omitempty"`
	More []nested           `json:"more,omitempty"`
	Tree map[string]*nested `json:"tree,omitempty"`
}

// inner is in nested, which can be seen from outside all the same.
type inner struct {
	Inside int8   `json:"inside"`
	Hidden string `json:"hidden"` // by that of nested, which has to stand before it
}

// Deep is within within.
type Deep struct {
	Deeper `json:",inline"`
	At     string `json:"at"`
}

// Deeper is the last.
type Deeper struct {
	Bottom *int64 `json:"bottom"`
}

// scalars has every number.
type scalars struct {
	object
	I8    int8               `json:"i8"`
	I16   int16              `json:"i16"`
	I32   int32              `json:"i32"`
	I64   int64              `json:"i64"`
	I     int                `json:"i"`
	U8    uint8              `json:"u8"`
	U16   uint16             `json:"u16"`
	U32   uint32             `json:"u32"`
	U64   uint64             `json:"u64"`
	U     uint               `json:"u"`
	F32   float32            `json:"f32"`
	F64   float64            `json:"f64"`
	B     bool               `json:"b"`
	S     string             `json:"s"`
	Rates map[string]float64 `json:"rates"`
	Ints  []int16            `json:"ints"`
	Bools []bool             `json:"bools"`
	Zeros []struct{}         `json:"zeros"`
}

// pointers leads from one to the other.
type pointers struct {
	object
	One     *string         `json:"one,omitempty"`
	Two     **string        `json:"two"`
	Three   ***int32        `json:"three"`
	List    *[]string       `json:"list"`
	Lists   []*[]*string    `json:"lists"`
	Map     *map[string]int `json:"map"`
	Bytes   *[]byte         `json:"bytes"`
	Struct  **Deep          `json:"struct"`
	Structs []*Deep         `json:"structs"`
	Any     *any            `json:"any"`
}

type word string

type words []word

type labels map[string]string

// collections has maps and lists of everything.
type collections struct {
	object
	Structs map[string]Deep              `json:"structs"`
	Slices  map[string][]string          `json:"slices"`
	Ptrs    map[string]*Deep             `json:"ptrs"`
	Maps    map[string]map[string]string `json:"maps"`
	Named   map[word]words               `json:"named"`
	Labels  labels                       `json:"labels"`
	Bytes   map[string][]byte            `json:"bytes"`
	Raw     []byte                       `json:"raw"`
	Raws    [][]byte                     `json:"raws"`
	Matrix  [][]Deep                     `json:"matrix"`
	List    []map[string]words           `json:"list"`
	Bools   map[string]bool              `json:"bools"`
	Sets    map[string]struct{}          `json:"sets"`
}

// known are the types of apimachinery that decode themselves, and some of others.
type known struct {
	object
	Raw        json.RawMessage                `json:"raw,omitempty"`
	Extension  runtime.RawExtension           `json:"extension"`
	Extensions []runtime.RawExtension         `json:"extensions"`
	Port       intstr.IntOrString             `json:"port"`
	Ports      map[string]*intstr.IntOrString `json:"ports"`
	Size       resource.Quantity              `json:"size"`
	Sizes      []*resource.Quantity           `json:"sizes"`
	Amounts    corev1.ResourceList            `json:"amounts"`
	Lots       map[string]resource.Quantity   `json:"lots"`
	Every      metav1.Duration                `json:"every"`
	At         metav1.MicroTime               `json:"at"`
	When       *metav1.Time                   `json:"when"`
	Whens      map[string]metav1.Time         `json:"whens"`
	Plain      time.Time                      `json:"plain"`
	Fields     metav1.FieldsV1                `json:"fields"`
	FieldsPtr  *metav1.FieldsV1               `json:"fieldsPtr"`
	Selector   *metav1.LabelSelector          `json:"selector"`
	Object     *unstructured.Unstructured     `json:"object,omitempty"`
	Template   corev1.PodTemplateSpec         `json:"template"`
	Conditions []metav1.Condition             `json:"conditions"`
}

// dynamics has whatever one likes.
type dynamics struct {
	object
	Any   any                       `json:"any"`
	Anys  []any                     `json:"anys"`
	Map   map[string]any            `json:"map"`
	Maps  map[string]map[string]any `json:"maps"`
	Lists map[string][]any          `json:"lists"`
}

// upper reads itself, in capital letters; zero, if it is null.
type upper struct{ Text string }

// UnmarshalJSON is for pointers.
func (u *upper) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		u.Text = "ZERO"
		return nil
	}
	var text string
	err := json.Unmarshal(data, &text)
	u.Text = strings.ToUpper(text)
	return err
}

// MarshalJSON is for values.
func (u upper) MarshalJSON() ([]byte, error) { return json.Marshal(strings.ToLower(u.Text)) }

// counts is a map that reads itself, though it is not a pointer.
type counts map[string]int

// UnmarshalJSON is for values.
func (c counts) UnmarshalJSON(data []byte) error {
	if c == nil {
		return nil // there is nowhere to put it
	}
	return json.Unmarshal(data, (*map[string]int)(&c))
}

// lines is a list that is written as one text.
type lines []string

// UnmarshalJSON is for pointers.
func (l *lines) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("read lines: %w", err)
	}
	*l = strings.Split(text, "\n")
	return nil
}

// MarshalJSON is for values.
func (l lines) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Join(l, "\n")) }

// small is a number with a limit.
type small int

// UnmarshalJSON is for pointers.
func (s *small) UnmarshalJSON(data []byte) error {
	if len(data) > 2 {
		return errors.New("it is not small")
	}
	return json.Unmarshal(data, (*int)(s))
}

// customs read themselves.
type customs struct {
	object
	Value  upper             `json:"value"`
	Ptr    *upper            `json:"ptr"`
	Ptrs   **upper           `json:"ptrs"`
	List   []upper           `json:"list"`
	Map    map[string]upper  `json:"map"`
	Refs   map[string]*upper `json:"refs"`
	Counts counts            `json:"counts"`
	Lines  lines             `json:"lines"`
	Small  small             `json:"small"`
	Sealed struct{ upper }   `json:"-"`
}

// widget is a plain one, as generators write it.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              widgetSpec   `json:"spec,omitempty"`
	Status            widgetStatus `json:"status,omitempty,omitzero"`
}

type widgetSpec struct {
	Replicas  *int32                      `json:"replicas,omitempty"`
	Selector  metav1.LabelSelector        `json:"selector"`
	Template  corev1.PodTemplateSpec      `json:"template"`
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
	Values    map[string]any              `json:"values,omitempty"`
	MaxSurge  *intstr.IntOrString         `json:"maxSurge,omitempty"`
	Timeout   metav1.Duration             `json:"timeout,omitempty"`
	Mode      word                        `json:"mode,omitempty"`
	Weights   []float64                   `json:"weights,omitempty"`
	Checksum  []byte                      `json:"checksum,omitempty"`
}

type widgetStatus struct {
	Conditions []metav1.Condition    `json:"conditions,omitempty"`
	Observed   int64                 `json:"observedGeneration,omitempty"`
	Last       *metav1.MicroTime     `json:"last,omitempty"`
	Raw        *runtime.RawExtension `json:"raw,omitempty"`
}

// oddTypes are all of them.
var oddTypes = []any{
	&nested{}, &scalars{}, &pointers{}, &collections{}, &known{}, &dynamics{}, &customs{}, &widget{}, &listed{}, &short{},
}

// listed has lists within lists of itself.
type listed struct {
	object
	Kids  []listed   `json:"kids,omitempty"`
	Pairs [][]listed `json:"pairs"`
	Ref   *listed    `json:"ref"`
	Name  string     `json:"name,omitempty"`
}

// short has names that begin with each other, and more of them than are tried before a name is looked up.
type short struct {
	object
	A    string `json:"a"`
	AA   string `json:"aa"`
	AAA  string `json:"aaa"`
	B    string `json:"b"`
	BA   string `json:"ba"`
	C    string `json:"c.d/e"`
	D    string `json:"$ref"`
	E    string `json:"x-e_f:g"`
	F    string `json:"f"`
	G    string `json:"kinds"`
	H    string `json:"@h"`
	I, J []short
}
