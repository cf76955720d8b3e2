package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// collect reads a streaming list to its end, and returns the version there. The
// session stays open if there is no error.
func (r *Reflector[T]) collect(ctx context.Context, s *session[T]) (*snapshot[T], string, error) {
	s.endAfter(r.opts.StreamDeadline, fmt.Errorf("%w within %v", ErrStreamIncomplete, r.opts.StreamDeadline))
	s.endOnSilence(r.opts.StreamSilence, ErrStreamIncomplete)
	initial := true
	opts := metav1.ListOptions{
		ResourceVersion:      r.at.streamFrom(),
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		SendInitialEvents:    &initial,
		AllowWatchBookmarks:  true,
		TimeoutSeconds:       r.watchTimeout(),
	}
	if err := s.open(r.lw, opts); err != nil {
		return nil, "", err
	}
	list := r.emptyList(true)
	for {
		event, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, "", fmt.Errorf("%w: %w", ErrStreamIncomplete, err)
		case err != nil:
			return nil, "", err
		case !r.turn.flows() && !r.goesOn(ctx, s):
			return nil, "", ctx.Err()
		case event.InitialEnd:
			s.relax()
			r.turn.keep()
			return list, event.Version, nil
		}
		if !event.IsBookmark() {
			r.ingest(ctx, list, listwatch.Item[T]{Key: event.Key, Obj: event.New, Known: event.Known, Err: event.Err}, event.Op)
		}
	}
}

// goesOn waits for the turn of a streaming list that was silent. The time that it waits does not count as silence.
func (r *Reflector[T]) goesOn(ctx context.Context, s *session[T]) bool {
	s.endOnSilence(0, nil)
	defer s.endOnSilence(r.opts.StreamSilence, ErrStreamIncomplete)
	return r.keepsTurn(ctx)
}

// ingest adds an object to a list in the form in which it is kept, or takes it out if an event says that it is gone. A
// known one has that form already.
func (r *Reflector[T]) ingest(ctx context.Context, list *snapshot[T], item listwatch.Item[T], event delta.Op) {
	if item.Err == nil && !item.Known {
		item.Key, item.Err = r.key(item.Obj)
	}
	named := item.Err == nil
	if !named { // some that can't be read otherwise have a key
		item.Key, named = listwatch.KeyOf(item.Err)
	}
	switch {
	case named && event == delta.Deleted:
		list.drop(item.Key)
		return
	case item.Err != nil:
	case item.Known:
		list.known = true
	case list.Ingested:
		item.Obj, item.Err = r.opts.Ingest(item.Obj)
	}
	if item.Err == nil {
		if event == delta.Updated {
			list.drop(item.Key) // its earlier state
		}
		list.put(item.Key, item.Obj)
		return
	}
	if named {
		list.refuse(item.Key)
	} else {
		list.Partial = true
	}
	r.Skip(ctx, fmt.Errorf("take %s from a list: %w", r.opts.Kind, item.Err))
}

// readPages reads pages until there are no more, and returns the version of the
// first, which is that of the list.
func (r *Reflector[T]) readPages(ctx context.Context) (*snapshot[T], string, error) {
	opts := r.firstPage()
	_, each := r.lw.(listwatch.Lister[T])
	list, version := r.emptyList(each), ""
	for pages := 0; ; pages++ {
		page, err := r.readPage(ctx, list, opts)
		if apierrors.IsResourceExpired(err) && opts.Continue != "" && opts.Limit != 0 {
			// The list was compacted away between two pages. All at once it cannot be.
			opts = metav1.ListOptions{ResourceVersion: r.listFrom()}
			list, pages = r.emptyList(each), -1
			continue
		}
		if err != nil {
			return nil, "", err
		}
		if !r.keepsTurn(ctx) {
			return nil, "", ctx.Err()
		}
		if pages == 0 {
			version = page.Version
		}
		r.addPage(ctx, list, page)
		if page.Continue == "" {
			r.turn.keep()
			return list, version, nil
		}
		// A first list asks for what the server has in memory. Pages mean that it
		// has nothing there, so that later lists may as well come in pages.
		r.paged = r.paged || opts.ResourceVersion == "0"
		opts.Continue, opts.ResourceVersion, opts.ResourceVersionMatch = page.Continue, "", ""
	}
}

// firstPage is what to ask for first. With a limit the server would take a version for the very one that the list has
// to be at, which may have expired. So it is told that a newer one will do.
func (r *Reflector[T]) firstPage() metav1.ListOptions {
	opts := metav1.ListOptions{ResourceVersion: r.listFrom()}
	opts.Limit = r.pageSize(opts.ResourceVersion)
	if opts.Limit != 0 && (position{version: opts.ResourceVersion}).exact() {
		opts.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
	return opts
}

// emptyList returns a list. Objects that come one by one get the form in which they are kept.
func (r *Reflector[T]) emptyList(oneByOne bool) *snapshot[T] {
	return &snapshot[T]{Replacement: Replacement{Ingested: oneByOne && r.opts.Ingest != nil}}
}

// readPage reads a page. Objects that come one by one are in list then, and not on the page. Without a list they do
// not matter.
func (r *Reflector[T]) readPage(ctx context.Context, list *snapshot[T], opts metav1.ListOptions) (listwatch.Page[T], error) {
	all := ctx
	ctx, cancel := context.WithTimeoutCause(listwatch.PartOf(ctx), r.opts.PageTimeout, fmt.Errorf("%w for %v", ErrNoAnswer, r.opts.PageTimeout))
	defer cancel()
	var page listwatch.Page[T]
	var err error
	if lister, each := r.lw.(listwatch.Lister[T]); each && list != nil {
		page, err = lister.Each(ctx, opts, func(item listwatch.Item[T]) {
			if r.keepsTurn(all) { // or nobody wants the list any more
				r.ingest(ctx, list, item, 0)
			}
		})
	} else {
		page, err = r.lw.List(ctx, opts)
	}
	if err == nil {
		err = all.Err() // what came last may have been left out
	}
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", err, context.Cause(ctx))
	}
	return page, err
}

// defaultPageSize is a page of some megabytes for objects of usual size.
const defaultPageSize = 500

// pageSize is how many objects to ask for in a list from version. With a limit the server reads its database instead
// of its memory, unless the version is "0".
func (r *Reflector[T]) pageSize(version string) int64 {
	switch {
	case r.opts.PageSize != 0:
		return r.opts.PageSize
	case version == "", version == "0", r.paged:
		return defaultPageSize
	default:
		return 0
	}
}

// addPage takes over what is on a page.
func (r *Reflector[T]) addPage(ctx context.Context, list *snapshot[T], page listwatch.Page[T]) {
	for _, err := range page.Broken {
		r.ingest(ctx, list, listwatch.Item[T]{Err: err}, 0)
	}
	detach := page.Lent && r.listed.IsZero() && r.opts.Detach != nil
	list.Lent = list.Lent || page.Lent && !detach
	list.makeRoom(len(page.Items))
	for _, obj := range page.Items {
		if detach {
			obj = r.opts.Detach(obj)
		}
		r.ingest(ctx, list, listwatch.Item[T]{Obj: obj}, 0)
	}
}
