package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// somePods makes Pods with odd things in them.
func somePods(rng *rand.Rand, n int) []*corev1.Pod {
	pods := benchkit.Pods(n)
	for i, pod := range pods {
		pods[i] = pod.DeepCopy()
		odd := []string{"", "<a href=\"x\">&\u2028", "tab\t, line\n, bell\a", "über 😀", strings.Repeat(`\"`, 40), "\x7f"}
		pods[i].Annotations["odd"] = odd[rng.IntN(len(odd))]
		pods[i].UID += "x"
		if rng.IntN(3) == 0 {
			pods[i].OwnerReferences = nil
		}
		if rng.IntN(4) == 0 {
			pods[i].Labels = map[string]string{}
		}
	}
	return pods
}

// wayward changes what a server sends.
var wayward = map[string]func(rng *rand.Rand, data []byte) []byte{
	"as it is":  func(_ *rand.Rand, data []byte) []byte { return data },
	"cut short": func(rng *rand.Rand, data []byte) []byte { return data[:rng.IntN(len(data))] },
	"changed": func(rng *rand.Rand, data []byte) []byte {
		data = bytes.Clone(data)
		data[rng.IntN(len(data))] = byte(rng.IntN(256)) //nolint:gosec // a byte
		return data
	},
	"with more behind it": func(_ *rand.Rand, data []byte) []byte { return append(bytes.Clone(data), "\n \n"...) },
}

// TestListsAreReadAsClientGoDoes shows the same bytes to both: where client-go makes a list of them, ours makes the
// same one. Where client-go finds an error, ours finds one, or leaves out what it is about and says so.
func TestListsAreReadAsClientGoDoes(t *testing.T) {
	for _, l := range tongues {
		for name, change := range wayward {
			t.Run(l.name+", "+name, func(t *testing.T) {
				seeds.Run(t, 20, func(t *testing.T, rng *rand.Rand) {
					data := change(rng, l.list(t, "77", somePods(rng, rng.IntN(6))))
					if l.form == unstructuredForm { // client-go calls objects what the list calls itself, ours what was asked for
						data = append([]byte(`{"kind":"PodList","apiVersion":"v1",`), data[min(len(data), len(`{"kind":"PodList","apiVersion":"v1",`)):]...)
					}
					server := &sent{contentType: l.contentType(), body: data, rng: rng}
					ours, theirs := l.readers(t, server)
					want, wrong := theirs.List(t.Context(), metav1.ListOptions{})
					got, err := ours.List(t.Context(), metav1.ListOptions{})
					if l.binary && name == "cut short" && err != nil && len(want.Items) == 0 {
						return // client-go may take the beginning of a list for an empty list
					}
					sameList(t, got, err, want, wrong)
				})
			})
		}
	}
}

func sameList(t *testing.T, got listwatch.Page[any], err error, want listwatch.Page[any], wrong error) {
	t.Helper()
	switch {
	case wrong != nil && err == nil && len(got.Broken) == 0:
		t.Fatalf("client-go finds an error, and ours finds none: %v", wrong)
	case wrong != nil:
		return
	case err != nil || len(got.Broken) > 0:
		t.Fatalf("client-go can read it, and ours can't: %v %v", err, got.Broken)
	}
	if got.Version != want.Version || got.Continue != want.Continue {
		t.Errorf("the list is at %q, %q; client-go says %q, %q", got.Version, got.Continue, want.Version, want.Continue)
	}
	if len(got.Items) != len(want.Items) {
		t.Fatalf("it has %d objects; client-go says %d", len(got.Items), len(want.Items))
	}
	for i := range got.Items {
		if !reflect.DeepEqual(got.Items[i], want.Items[i]) {
			t.Errorf("object %d differs: %s", i, cmp.Diff(want.Items[i], got.Items[i]))
		}
	}
}

// TestWatchesAreReadAsClientGoDoes is the same for watches: what client-go reads ours reads, and goes on
// where one event can't be read.
func TestWatchesAreReadAsClientGoDoes(t *testing.T) {
	for _, l := range tongues {
		for name, change := range wayward {
			t.Run(l.name+", "+name, func(t *testing.T) {
				seeds.Run(t, 20, func(t *testing.T, rng *rand.Rand) {
					server := &sent{contentType: l.contentType(), body: change(rng, l.events(t, rng)), rng: rng}
					if rng.IntN(4) == 0 {
						server.broken = errors.New("connection reset by peer")
					}
					ours, theirs := l.readers(t, server)
					want, wrong := allOf(t, theirs)
					got, err := allOf(t, ours)
					sameEvents(t, got, want)
					// client-go takes some errors of a decoder for the end of the connection.
					decoders := l.binary && name == "changed" || hasBroken(got)
					if !decoders && (errors.Is(err, io.EOF) != errors.Is(wrong, io.EOF) || apierrors.ReasonForError(err) != apierrors.ReasonForError(wrong)) {
						t.Errorf("it ends with %v; client-go says %v", err, wrong)
					}
				})
			})
		}
	}
}

// events are the events of a watch.
func (l tongue) events(t *testing.T, rng *rand.Rand) []byte {
	t.Helper()
	var data []byte
	kinds := []watch.EventType{watch.Added, watch.Modified, watch.Deleted}
	for _, pod := range somePods(rng, 1+rng.IntN(5)) {
		data = append(data, l.event(t, kinds[rng.IntN(3)], l.shown(t, pod))...)
	}
	mark := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "9"}}
	if rng.IntN(2) == 0 {
		mark.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	data = append(data, l.event(t, watch.Bookmark, l.shown(t, mark))...)
	if rng.IntN(3) == 0 {
		gone := apierrors.NewResourceExpired("too old").Status()
		gone.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		data = append(data, l.event(t, watch.Error, &gone)...)
	}
	return data
}

// allOf reads a watch to its end.
func allOf(t *testing.T, from listwatch.ListWatcher[any]) (events []listwatch.Event[any], end error) {
	t.Helper()
	stream, err := from.Watch(t.Context(), metav1.ListOptions{})
	must(t, err)
	defer stream.Close()
	for {
		event, err := stream.Next(t.Context())
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
}

func hasBroken(events []listwatch.Event[any]) bool {
	for _, event := range events {
		if event.Err != nil {
			return true
		}
	}
	return false
}

// sameEvents compares what was read before something could not be read.
func sameEvents(t *testing.T, got, want []listwatch.Event[any]) {
	t.Helper()
	for i := range want {
		if i >= len(got) {
			t.Fatalf("it has %d events; client-go reads %d", len(got), len(want))
		}
		if (got[i].Err != nil) != (want[i].Err != nil) {
			t.Fatalf("event %d: %v; client-go says %v", i, got[i].Err, want[i].Err)
		}
		if got[i].Op != want[i].Op || got[i].Version != want[i].Version || got[i].InitialEnd != want[i].InitialEnd || !reflect.DeepEqual(got[i].New, want[i].New) {
			t.Errorf("event %d differs: %s", i, cmp.Diff(want[i].New, got[i].New))
		}
	}
	if len(got) > len(want) && !hasBroken(got[len(want):]) {
		t.Errorf("it has %d events; client-go reads %d", len(got), len(want))
	}
}

// TestOnlyWhatHasChangedIsDecoded lists some objects that are known, and others.
func TestOnlyWhatHasChangedIsDecoded(t *testing.T) {
	for _, l := range tongues {
		t.Run(l.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			pods := somePods(rng, 4)
			server := &sent{contentType: l.contentType(), body: l.list(t, "5", pods), rng: rng}
			ours, _ := l.readers(t, server)
			first, err := ours.List(t.Context(), metav1.ListOptions{})
			must(t, err)
			for _, obj := range first.Items {
				known(ours, obj.(client.Object))
			}
			pods[1].ResourceVersion, pods[2].UID = "4711", "another"
			server.body = l.list(t, "6", pods)
			for name, ctx := range map[string]context.Context{"trusted": t.Context(), "distrusted": listwatch.Distrust(t.Context())} {
				var same []bool
				if _, err := ours.Each(ctx, metav1.ListOptions{}, func(item listwatch.Item[any]) {
					i := len(same)
					same = append(same, item.Known)
					if item.Known != (item.Obj == first.Items[i]) {
						t.Errorf("%s: object %d is %p, was %p, and is said to be known: %t", name, i, item.Obj, first.Items[i], item.Known)
					}
				}); err != nil {
					t.Fatal(err)
				}
				want := []bool{true, false, false, true}
				if name == "distrusted" {
					want = make([]bool, 4)
				}
				if !cmp.Equal(same, want) {
					t.Errorf("%s: known are %v, want %v", name, same, want)
				}
			}
		})
	}
}

// TestAnObjectThatCanNotBeDecoded takes neither its list nor its watch with it.
func TestAnObjectThatCanNotBeDecoded(t *testing.T) {
	l := tongues[0]
	rng := rand.New(rand.NewPCG(1, 2))
	pods := somePods(rng, 3)
	spoil := func(data []byte) []byte {
		return bytes.Replace(data, []byte(`"name":"`+pods[1].Name+`"`), []byte(`"name":"`+pods[1].Name+`","generation":"many"`), 1)
	}
	ours, _ := l.readers(t, &sent{contentType: l.contentType(), body: spoil(l.list(t, "5", pods)), rng: rng})
	page, err := ours.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(page.Items) != 2 || len(page.Broken) != 1 || page.Version != "5" {
		t.Fatalf("list: %v, %d objects, %v", err, len(page.Items), page.Broken)
	}
	if text := page.Broken[0].Error(); !strings.Contains(text, pods[1].Name) || !strings.Contains(text, "generation") {
		t.Errorf("the error does not say what it is about: %s", text)
	}
	var events []byte
	for _, pod := range pods {
		events = append(events, spoil(l.event(t, watch.Added, l.shown(t, pod)))...)
	}
	ours, _ = l.readers(t, &sent{contentType: l.contentType(), body: events, rng: rng})
	read, end := allOf(t, ours)
	if len(read) != 3 || read[0].Err != nil || read[1].Err == nil || read[2].Err != nil || !errors.Is(end, io.EOF) {
		t.Errorf("watch: %d events, then %v", len(read), end)
	}
	for what, err := range map[string]error{"list": page.Broken[0], "watch": read[1].Err} {
		if key, ok := listwatch.KeyOf(err); !ok || key != (delta.Key{Namespace: pods[1].Namespace, Name: pods[1].Name}) {
			t.Errorf("%s: the error is about %v (%t)", what, key, ok)
		}
	}
}
