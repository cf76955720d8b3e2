package dedup_test

import (
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// rules remember what they were asked. Any number of goroutines may ask.
type rules struct {
	Texts []string
	Limit *resource.Quantity

	once sync.Once
	seen map[string]bool
}

func (r *rules) has(text string) bool {
	r.once.Do(func() { r.seen = map[string]bool{text: true} })
	return r.seen[text]
}

// own decodes itself, so that nobody knows what else its code does.
type own struct{ Text string }

func (o *own) UnmarshalText(text []byte) error {
	o.Text = string(text)
	return nil
}

// ownObject decodes itself, and begins as objects do.
type ownObject struct {
	metav1.TypeMeta
	Text string
}

func (s *ownObject) UnmarshalJSON(text []byte) error {
	s.Text = string(text)
	return nil
}

// base is embedded in others.
type base struct{ Name string }

type derived struct {
	base
	Size int
}

func TestPublishedObjectsThatAreEqual(t *testing.T) {
	shared := &struct{ Rules *rules }{&rules{}}
	again := *shared
	quantity := func() *resource.Quantity { return new(resource.MustParse("1")) }
	requests := func() *corev1.Container {
		return &corev1.Container{Name: "a", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": *quantity()}}}
	}
	for name, tt := range map[string]struct {
		a, b any
		want bool
	}{
		"one in memory":              {shared.Rules, shared.Rules, true},
		"one in memory further down": {shared, &again, true},
		"nothing":                    {nil, nil, false},
		"nil":                        {(*rules)(nil), (*rules)(nil), true},
		"nil and an object":          {(*rules)(nil), &rules{}, false},
		"two types":                  {&rules{}, &own{}, false},
		"no pointers":                {own{}, own{}, false},
		"unexported fields":          {&rules{}, &rules{}, false},
		"a type that decodes itself": {&own{"a"}, &own{"a"}, false},
		"quantities":                 {quantity(), quantity(), false},
		"quantities in maps":         {requests(), requests(), true},
		"two objects":                {requests(), &corev1.Container{Name: "a"}, false},
		"embedded fields":            {&derived{base{"a"}, 1}, &derived{base{"a"}, 1}, true},
		"other embedded fields":      {&derived{base{"a"}, 1}, &derived{base{"b"}, 1}, false},
		"content":                    {&unstructured.Unstructured{Object: map[string]any{"a": int64(1)}}, &unstructured.Unstructured{Object: map[string]any{"a": int64(1)}}, true},
	} {
		if got := dedup.Equal(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: equal is %t", name, got)
		}
	}
}

// TestTheTypeOfAnObjectIsNotItsState holds the custom resource of a list, which says its type, against that of an event, which does not.
func TestTheTypeOfAnObjectIsNotItsState(t *testing.T) {
	type holder struct {
		metav1.TypeMeta
		metav1.ObjectMeta
		Template corev1.PodTemplate
	}
	of := func(kind, below, name string) *holder {
		h := &holder{TypeMeta: metav1.TypeMeta{Kind: kind}, ObjectMeta: metav1.ObjectMeta{Name: name}}
		h.Template.Kind = below
		return h
	}
	for name, tt := range map[string]struct {
		a, b *holder
		want bool
	}{
		"of one kind":              {of("Holder", "", "a"), of("Holder", "", "a"), true},
		"one without its kind":     {of("Holder", "", "a"), of("", "", "a"), true},
		"two names":                {of("Holder", "", "a"), of("Holder", "", "b"), false},
		"two kinds of a template":  {of("Holder", "PodTemplate", "a"), of("Holder", "", "a"), false},
		"nothing but the template": {of("", "PodTemplate", ""), of("", "PodTemplate", ""), true},
	} {
		if got := dedup.EqualObjects(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: equal is %t", name, got)
		}
	}
	if dedup.Equal(of("Holder", "", "a"), of("", "", "a")) {
		t.Error("as mere values they are equal")
	}
	if dedup.EqualObjects(&own{"a"}, &own{"a"}) || dedup.EqualObjects(&ownObject{}, &ownObject{}) {
		t.Error("what nobody may read is said to be equal")
	}
}

// TestATimeOfAnObjectIsAnInstant is about lists that are compared by content: another zone of a time changes nothing.
func TestATimeOfAnObjectIsAnInstant(t *testing.T) {
	type holder struct {
		metav1.ObjectMeta
		Times map[string]metav1.Time
	}
	here := metav1.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	there := metav1.Time{Time: here.In(time.FixedZone("", 3600))}
	later := metav1.Time{Time: here.Add(1)}
	of := func(at metav1.Time) *holder {
		return &holder{metav1.ObjectMeta{CreationTimestamp: at, DeletionTimestamp: &at}, map[string]metav1.Time{"a": at}}
	}
	if !dedup.EqualObjects(of(here), of(there)) {
		t.Error("times in two zones make two objects of one")
	}
	if dedup.EqualObjects(of(here), of(later)) {
		t.Error("two times are said to be equal")
	}
	if dedup.Equal(of(here), of(there)) {
		t.Error("as mere values they are equal")
	}
}

// The race detector sees whether two objects are compared where their own methods write.
func TestPublishedObjectsAreComparedWhileTheyAreRead(t *testing.T) {
	rulesAt := func() *rules {
		return &rules{Texts: []string{"a"}, Limit: resource.NewQuantity(1500, resource.DecimalSI)}
	}
	a, b := rulesAt(), rulesAt()
	var readers sync.WaitGroup
	for _, r := range []*rules{a, b} {
		readers.Go(func() { _ = r.has("a") })
		readers.Go(func() { _ = r.Limit.Cmp(resource.MustParse("0.0000000000000000001")) + len(r.Limit.String()) })
	}
	if dedup.Equal(a, b) || dedup.Equal(&struct{ Limit *resource.Quantity }{a.Limit}, &struct{ Limit *resource.Quantity }{b.Limit}) {
		t.Error("what nobody may read is said to be equal")
	}
	readers.Wait()
}
