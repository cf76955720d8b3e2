package differential

import (
	"context"
	"fmt"
	"reflect"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// limited draws a list with a limit. Each cache may choose other items, so their number is
// compared. Each cache's own are among those of the same list without a limit.
func (a *asker) limited(s subject) question {
	opts, text := a.listOptions()
	limit := pick[int64](a.rng, 1, 2, 5, 1000)
	return question{fmt.Sprintf("List %s%s limit %d", s, text, limit), func(ctx context.Context, c crcache.Cache) answer {
		return limited(ctx, c, s, append(opts[:len(opts):len(opts)], client.Limit(limit)))
	}}
}

func limited(ctx context.Context, c crcache.Cache, s subject, opts []client.ListOption) answer {
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
	_, some, err := itemsOf(page)
	if err != nil {
		return answer{wrong: err.Error()}
	}
	a := answer{fact: fmt.Sprintf("%d of %d, version %q, token %q", len(some), len(all), page.GetResourceVersion(), page.GetContinue())}
	for _, at := range sortedKeys(some) {
		if !reflect.DeepEqual(some[at], all[at]) {
			a.wrong = fmt.Sprintf("%s differs from the one in the whole list: %s", at, difference(all[at], some[at]))
		}
	}
	return a
}
