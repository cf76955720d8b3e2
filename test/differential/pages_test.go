package differential

import (
	"context"
	"fmt"
	"reflect"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// noMorePages is what controller-runtime's cache returns instead of a token.
const noMorePages = "continue-not-supported"

// pages draws a list with a limit. The items and the token differ on purpose:
// controller-runtime takes the items in no order and gives no token, and ours orders them by
// key and gives one. So only the number of items is compared. Two checks are for each cache
// alone: the items are among those of the same list without a limit, and all pages of ours
// together are that list.
func (a *asker) pages(s subject) question {
	opts, text := a.listOptions()
	limit := pick[int64](a.rng, 1, 2, 5, 1000)
	return question{fmt.Sprintf("List %s%s limit %d", s, text, limit), func(ctx context.Context, c crcache.Cache) answer {
		return pages(ctx, c, s, append(opts[:len(opts):len(opts)], client.Limit(limit)))
	}}
}

func pages(ctx context.Context, c crcache.Cache, s subject, opts []client.ListOption) answer {
	whole, page := s.list(), s.list()
	if err := c.List(ctx, whole, opts[:len(opts)-1]...); err != nil {
		return answer{err: err}
	}
	if err := c.List(ctx, page, opts...); err != nil {
		return answer{err: err}
	}
	_, all, err := itemsOf(whole)
	if err != nil {
		return answer{wrong: err.Error()}
	}
	r := &pageReader{all: all, seen: map[key]bool{}}
	r.take(page)
	a := answer{fact: fmt.Sprintf("%d of %d, version %q", len(r.seen), len(all), page.GetResourceVersion())}
	if page.GetContinue() != noMorePages {
		r.rest(ctx, c, page, opts)
	}
	a.wrong = r.wrong
	return a
}

// pageReader puts pages together.
type pageReader struct {
	all   map[key]client.Object
	seen  map[key]bool
	last  key
	wrong string
}

func (r *pageReader) take(page client.ObjectList) {
	_, items, err := itemsOf(page)
	if err != nil {
		r.wrong = err.Error()
		return
	}
	for _, at := range sortedKeys(items) {
		item := items[at]
		switch {
		case r.seen[at]:
			r.wrong = fmt.Sprintf("%s is on two pages", at)
		case r.all[at] == nil:
			r.wrong = fmt.Sprintf("%s is on a page, but not in the whole list", at)
		case !reflect.DeepEqual(item, r.all[at]):
			r.wrong = fmt.Sprintf("%s differs from the one in the whole list: %s", at, difference(r.all[at], item))
		}
		r.seen[at], r.last = true, at
	}
}

// rest follows the tokens to the end.
func (r *pageReader) rest(ctx context.Context, c crcache.Cache, page client.ObjectList, opts []client.ListOption) {
	for r.wrong == "" && page.GetContinue() != "" {
		next := page.DeepCopyObject().(client.ObjectList)
		if err := c.List(ctx, next, append(opts[:len(opts):len(opts)], client.Continue(page.GetContinue()))...); err != nil {
			r.wrong = fmt.Sprintf("the next page: %v", err)
			return
		}
		_, items, err := itemsOf(next)
		if err != nil || len(items) == 0 {
			r.wrong = fmt.Sprintf("a page after the first has %d items, error %v", len(items), err)
			return
		}
		if first := sortedKeys(items)[0]; byKey(r.last, first) >= 0 {
			r.wrong = fmt.Sprintf("a page begins with %s, after %s", first, r.last)
			return
		}
		r.take(next)
		page = next
	}
	if r.wrong == "" && len(r.seen) != len(r.all) {
		r.wrong = fmt.Sprintf("the pages have %d items, the whole list has %d", len(r.seen), len(r.all))
	}
}
