package inspector_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// longest is how many bytes an answer may have.
const longest = 2 << 20

func get(t *testing.T, path string) *http.Request {
	return httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
}

// manyKinds are more than an answer has room for.
func manyKinds() (all []v1.Kind) {
	for n := range 10_000 {
		all = append(all, v1.Kind{Name: fmt.Sprint("v1 Kind", n), Why: strings.Repeat("<", 100*(n%7))})
	}
	return all
}

func TestAnAnswerThatIsTooLongIsCut(t *testing.T) {
	h := inspector.New(faulty{Subject: toyoperator.New(), kinds: manyKinds, queues: func() []v1.Queue {
		return []v1.Queue{{Controller: "site", More: true, Items: make([]v1.Item, 3)}}
	}}, inspector.Options{})
	a := answer(h, get(t, "/delta/v1/kinds"))
	var list v1.KindList
	if err := json.Unmarshal(a.body, &list); err != nil || a.status != http.StatusOK || len(a.body) > longest {
		t.Fatalf("the answer %d has %d bytes, error %v", a.status, len(a.body), err)
	}
	if n := len(list.Items); n < 100 || !strings.HasPrefix(list.Cut, fmt.Sprintf("%d of 10000 are shown", n)) || !strings.Contains(list.Cut, "smaller limit") {
		t.Errorf("%d kinds are shown, and the answer says %q", n, list.Cut)
	}
	for limit, cut := range map[int]bool{3: false, 4: true} {
		var queues v1.QueueList
		a := answer(h, get(t, fmt.Sprint("/delta/v1/queues?limit=", limit)))
		if err := json.Unmarshal(a.body, &queues); err != nil || (queues.Cut != "") != cut {
			t.Errorf("of a queue with more than three requests, %d were asked for: %q, error %v", limit, queues.Cut, err)
		}
	}
}

// TestAnswersHaveALimit asks for many answers at a time. Those that find no place wait for a while.
func TestAnswersHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var making atomic.Int32
		h := inspector.New(faulty{Subject: toyoperator.New(), kinds: func() []v1.Kind {
			making.Add(1)
			defer making.Add(-1)
			time.Sleep(3 * time.Second)
			return nil
		}}, inspector.Options{})
		const all = 30
		var status [all]atomic.Int32
		for i := range all {
			go func() { status[i].Store(int32(answer(h, get(t, "/delta/v1/kinds")).status)) }()
			synctest.Wait()
		}
		if n := making.Load(); n != 8 {
			t.Errorf("%d answers are made at a time", n)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		counts := map[int32]int{}
		for i := range all {
			counts[status[i].Load()]++
		}
		// Two rounds have begun before those who wait lose their patience.
		if counts[http.StatusOK] != 16 || counts[http.StatusTooManyRequests] != 14 {
			t.Errorf("the answers are %v", counts)
		}
	})
}

// deaf is the writer of a connection whose other end does not read.
type deaf struct {
	*httptest.ResponseRecorder
	until time.Time
	held  *atomic.Int64
}

func (d *deaf) SetWriteDeadline(t time.Time) error { d.until = t; return nil }

func (d *deaf) Write(content []byte) (int, error) {
	if d.Code == http.StatusTooManyRequests {
		return d.ResponseRecorder.Write(content)
	}
	d.held.Add(int64(len(content)))
	defer d.held.Add(-int64(len(content)))
	time.Sleep(time.Until(d.until))
	return 0, os.ErrDeadlineExceeded
}

// TestReadersThatDoNotReadHoldLittle has many ask for as much as there is, and read nothing.
func TestReadersThatDoNotReadHoldLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := inspector.New(faulty{Subject: toyoperator.New(), kinds: manyKinds}, inspector.Options{})
		var held atomic.Int64
		readers := make([]*deaf, 60)
		for i := range readers {
			readers[i] = &deaf{ResponseRecorder: httptest.NewRecorder(), held: &held}
			go h.ServeHTTP(readers[i], get(t, "/delta/v1/kinds"))
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		refused := 0
		for _, r := range readers {
			if r.Code == http.StatusTooManyRequests {
				refused++
			}
		}
		if n := held.Load(); n == 0 || n > 8*longest || refused != len(readers)-8 {
			t.Errorf("readers that do not read hold %d bytes, and %d are refused", n, refused)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if a := answer(h, get(t, "/delta/v1/kinds")); a.status != http.StatusOK || held.Load() != 0 {
			t.Errorf("when they are gone, another is answered with %d, and %d bytes are held", a.status, held.Load())
		}
	})
}
