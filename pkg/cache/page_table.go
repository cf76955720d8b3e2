package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

// pageTable holds the lists that can be continued, for all readers of a cache.
// Any number of goroutines may use it.
type pageTable struct {
	process uint64

	mu    lock.Mutex[lock.PageTable] // guards everything below
	lists heldLists
	sweep *time.Timer // Invariant: set while a list is held, which can become too old.
}

func newPageTable(limits holdLimits) *pageTable {
	return &pageTable{process: rand.Uint64(), lists: heldLists{limits: limits}}
}

// first returns the first page of a list and holds the others, if there are any.
// The objects are the table's from here on.
func (t *pageTable) first(q *query, objs []any, limit int64) page {
	if int64(len(objs)) <= limit {
		sortByKey(objs)
		return page{objs: objs}
	}
	n := int(limit)
	lowestFirst(objs, n)
	l := &heldList{query: q.id(), objs: objs, ordered: n}

	t.mu.Lock()
	defer t.mu.Unlock()
	t.lists.add(time.Now(), l)
	t.armLocked()
	return t.pageOf(l, objs[:n], n)
}

// next returns the page that a token stands for.
func (t *pageTable) next(id queryID, text string, limit int64) (page, error) {
	kind := id.of.gvk.Kind
	if text == pagesNotSupported {
		// controller-runtime's words for a list that had no limit.
		return page{}, apierrors.NewBadRequest("continue list option is not supported by the cache")
	}
	token, ok := parsePageToken(text)
	if !ok {
		return page{}, apierrors.NewBadRequest(fmt.Sprintf("list %s: continue token %.40q is not one that this cache has given", kind, text))
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	var l *heldList
	if token.process == t.process {
		l = t.lists.use(time.Now(), token.list)
	}
	switch {
	case l == nil, l.query != id && l.query.gone(id):
		return page{}, apierrors.NewResourceExpired(fmt.Sprintf("list %s: the continue token has expired, start again without it", kind))
	case l.query != id:
		return page{}, apierrors.NewBadRequest(fmt.Sprintf("list %s: the continue token is of a list of another kind or with other options", kind))
	case token.from >= len(l.objs):
		return page{}, apierrors.NewBadRequest(fmt.Sprintf("list %s: the continue token points behind the end of its list", kind))
	}
	// Sorting, which this may do once for each list, keeps others waiting; they are
	// those who page.
	objs, end := l.cut(token.from, limit)
	return t.pageOf(l, objs, end), nil
}

// pageOf returns a page that ends before end. Its objects are copied out of the
// list, where the next page may still move others about.
func (t *pageTable) pageOf(l *heldList, objs []any, end int) page {
	p := page{objs: slices.Clone(objs)}
	if left := int64(len(l.objs) - end); left > 0 {
		p.remaining = &left
		p.token = pageToken{process: t.process, list: l.id, from: end}.String()
	}
	return p
}

// armLocked sees to it that old lists go even if nobody lists any more.
func (t *pageTable) armLocked() {
	if t.sweep == nil {
		t.sweep = time.AfterFunc(t.lists.limits.keep, t.expire)
	}
}

// expire is what the timer does.
func (t *pageTable) expire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep = nil
	if wait := t.lists.expire(time.Now()); wait > 0 {
		t.sweep = time.AfterFunc(wait, t.expire)
	}
}
