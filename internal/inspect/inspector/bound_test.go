package inspector_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func get(t *testing.T, path string) *http.Request {
	return httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
}

// kinds are so many kinds.
func kinds(n int) (all v1.KindList) {
	all.Items = slices.Repeat([]v1.Kind{{Name: "v1 Kind", Why: strings.Repeat("y", 500)}}, n)
	return all
}

func TestAnAnswerThatIsTooLongIsRefused(t *testing.T) {
	h := inspector.New(faulty{Subject: toyoperator.New(), kinds: func() v1.KindList { return kinds(5000) }}, inspector.Options{})
	if p := problem(t, answer(h, get(t, "/delta/v1/kinds"))); p.Status != http.StatusInternalServerError || !strings.Contains(p.Message, "2097152 are the most") {
		t.Errorf("the answer is %+v", p)
	}
	long := inspector.New(forbidden{toyoperator.New(), errors.New(strings.Repeat("no ", 1<<20))}, inspector.Options{})
	if a := answer(long, get(t, "/delta/v1/why?kind=sites&name=blog")); a.status != http.StatusInternalServerError || len(a.body) > 10<<10 {
		t.Errorf("a long error is answered with %d and %d bytes", a.status, len(a.body))
	}
}

// TestAnswersHaveALimit asks for many answers at a time. Those that find no place wait for a while.
func TestAnswersHaveALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var making atomic.Int32
		h := inspector.New(faulty{Subject: toyoperator.New(), kinds: func() v1.KindList {
			making.Add(1)
			defer making.Add(-1)
			time.Sleep(3 * time.Second)
			return v1.KindList{}
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

// disconnected is the writer of a connection whose other end does not read.
type disconnected struct {
	*httptest.ResponseRecorder
	until time.Time
	held  *atomic.Int64
}

func (d *disconnected) SetWriteDeadline(t time.Time) error { d.until = t; return nil }

func (d *disconnected) Write(content []byte) (int, error) {
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
		h := inspector.New(faulty{Subject: toyoperator.New(), kinds: func() v1.KindList { return kinds(2000) }}, inspector.Options{})
		var held atomic.Int64
		readers := make([]*disconnected, 60)
		for i := range readers {
			readers[i] = &disconnected{ResponseRecorder: httptest.NewRecorder(), held: &held}
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
		if n := held.Load(); n == 0 || n > 8*inspector.LongestAnswer || refused != len(readers)-8 {
			t.Errorf("readers that do not read hold %d bytes, and %d are refused", n, refused)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if a := answer(h, get(t, "/delta/v1/kinds")); a.status != http.StatusOK || held.Load() != 0 {
			t.Errorf("when they are gone, another is answered with %d, and %d bytes are held", a.status, held.Load())
		}
	})
}
