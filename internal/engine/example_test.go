package engine_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// book is what the examples keep: the core holds any type.
type book struct{ title, version string }

var bookTraits = store.Traits[book]{
	Key:     func(b book) (delta.Key, error) { return delta.Key{Name: b.title}, nil },
	Version: func(b book) string { return b.version },
	UID:     func(book) string { return "" },
	Labels:  func(book) map[string]string { return nil },
}

// shelf is the smallest API: it lists one book, and its watch tells of those that
// arrive later.
type shelf struct{ arrivals chan book }

func (shelf) List(context.Context, metav1.ListOptions) (listwatch.Page[book], error) {
	return listwatch.Page[book]{Version: "1", Items: []book{{"Emma", "1"}}}, nil
}

func (s shelf) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[book], error) {
	return s, nil
}

func (s shelf) Next(ctx context.Context) (listwatch.Event[book], error) {
	select {
	case b := <-s.arrivals:
		return listwatch.Event[book]{Delta: delta.Delta[book]{Op: delta.Added, New: b, Version: b.version}}, nil
	case <-ctx.Done():
		return listwatch.Event[book]{}, ctx.Err()
	}
}

func (shelf) Close() {}

var pagesOnly = reflector.Options[book]{
	Settings: informer.Settings{Lists: informer.PagesOnly},
}

func ExampleNew() {
	api := shelf{arrivals: make(chan book)}
	books := engine.New(api, engine.Options[book]{Name: "books", Traits: bookTraits, Reflector: pagesOnly})

	told := make(chan struct{})
	_, err := books.Subscribe(func(d *delta.Delta[book]) {
		fmt.Printf("%s %s, initial: %t\n", d.Op, d.Key, d.Initial)
		told <- struct{}{}
	}, informer.SubscribeOptions{})
	if err != nil {
		panic(err)
	}

	_, err = books.Lister().Get("", "Emma")
	fmt.Println("before it runs:", err)

	g := lifecycle.New(context.Background())
	g.Go("books", books.Run)
	<-told
	api.arrivals <- book{"Persuasion", "2"}
	<-told
	found, err := books.Lister().Get("", "Persuasion")
	fmt.Println(found.version, err)
	g.Stop()
	_ = g.Wait()
	// Output:
	// before it runs: get Emma: books: not synced yet: books has not been started
	// Added Emma, initial: true
	// Added Persuasion, initial: false
	// 2 <nil>
}

// shelves keep books by author, which is the namespace.
var byAuthor = store.Traits[book]{
	Key:     func(b book) (delta.Key, error) { return delta.ParseKey(b.title), nil },
	Version: bookTraits.Version, UID: bookTraits.UID, Labels: bookTraits.Labels,
}

// author is a shelf with the books of one author.
type author struct {
	shelf
	books []book
}

func (a author) List(context.Context, metav1.ListOptions) (listwatch.Page[book], error) {
	return listwatch.Page[book]{Version: "1", Items: a.books}, nil
}

func (a author) Watch(context.Context, metav1.ListOptions) (listwatch.Stream[book], error) {
	return a.shelf, nil
}

func ExampleNewScoped() {
	books, err := engine.NewScoped([]engine.Scope[book]{
		{Namespace: "austen", ListWatcher: author{books: []book{{"austen/Emma", "1"}}}},
		{Except: []string{"austen", "shelley"}, ListWatcher: author{books: []book{{"eliot/Romola", "1"}}}},
	}, engine.Options[book]{Name: "books", Traits: byAuthor, Reflector: pagesOnly})
	if err != nil {
		panic(err)
	}
	g := lifecycle.New(context.Background())
	g.Go("books", books.Run)
	<-books.Synced()
	read := func(namespace, name string) {
		found, err := books.Lister().Get(namespace, name)
		fmt.Println(found.title, err)
	}
	read("austen", "Emma")
	read("eliot", "Romola")
	read("shelley", "Frankenstein")

	err = books.AddScope(engine.Scope[book]{Namespace: "shelley", ListWatcher: author{books: []book{{"shelley/Frankenstein", "1"}}}})
	if err != nil {
		panic(err)
	}
	synced, err := books.ScopeSynced("shelley")
	if err != nil {
		panic(err)
	}
	<-synced
	read("shelley", "Frankenstein")
	if err := books.RemoveScope("austen", informer.Silently); err != nil {
		panic(err)
	}
	read("austen", "Emma")
	fmt.Println(books.AddScope(engine.Scope[book]{Namespace: "eliot", ListWatcher: author{}}))
	g.Stop()
	_ = g.Wait()
	// Output:
	// austen/Emma <nil>
	// eliot/Romola <nil>
	//  get shelley/Frankenstein: books in namespace "shelley": not covered by any scope
	// shelley/Frankenstein <nil>
	//  get austen/Emma: books in namespace "austen": not covered by any scope
	// add scope of namespace eliot to informer for books: scopes overlap: there is one of all namespaces but austen, shelley already
}

func ExampleNewDeltaFIFO() {
	fifo := engine.NewDeltaFIFO(engine.FIFOOptions[book]{Traits: bookTraits})
	add := func(op delta.Op, b book) {
		if err := fifo.Push(delta.Delta[book]{Op: op, New: b, Version: b.version}, b.version); err != nil {
			panic(err)
		}
	}
	add(delta.Added, book{"Emma", "1"})
	add(delta.Added, book{"Persuasion", "2"})
	add(delta.Updated, book{"Emma", "3"})

	batch, err := fifo.Pop(context.Background())
	if err != nil {
		panic(err)
	}
	for d := range batch.Deltas() {
		fmt.Println(d.Op, d.Key, d.Version)
	}
	add(delta.Deleted, book{"Emma", "4"}) // known, although it is only being applied
	fifo.Release()
	fmt.Println("pending:", fifo.Len())
	// Output:
	// Added Emma 1
	// Added Persuasion 2
	// Updated Emma 3
	// pending: 1
}
