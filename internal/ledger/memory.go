package ledger

// Keeper saves what a ledger knows, for the next process. It leaves out whatever it does not know for
// certain. Then the next process knows as little as one that begins with a list.
type Keeper[R comparable] interface {
	Saver
	// Keep has the ledger know requests and objects by hashes that mean the same in another
	// process. It comes before anything is recorded.
	Keep(by Identity[R])
	// Restore begins with what an earlier process has saved. It follows Keep.
	Restore(m Memory)
	// Keeps reports whether Keep was called.
	Keeps() bool
}

// Saver is a ledger that can be saved.
type Saver interface {
	// Ready reports whether all streams have shown what was there.
	Ready() bool
	// Abstain has nothing saved from now on, and forgets what was restored: the ledger is told of something that is
	// not shown again to the next process.
	Abstain()
	// Save returns what is known. It reports false if that can't be of use. Until Saved or NotSaved follows,
	// requests that workers take count for this memory and for the one before.
	Save() (m Memory, ok bool)
	// Saved says that the memory has taken the place of the one before.
	Saved()
	// NotSaved says that it has not.
	NotSaved()
}

// Identity is how requests and objects are known across processes.
type Identity[R comparable] struct {
	Request func(R) uint64
	Object  func(namespace, name string) uint64
	// Took is told that a worker takes a request that is among the successes of a Memory, and in which one. It is called
	// before the reconciler is, once for each Memory, by any goroutine and without a lock.
	Took func(request uint64, in Memories)
}

// Memories says which ones a request is in: that which was saved last, and that which is being saved.
type Memories struct{ Last, Next bool }

// Memory is what a ledger knew at a time when all that its watches had shown was recorded.
type Memory struct {
	Successes []Success
	// Open are the requests that are not dealt with, and those with something that nobody knows.
	Open    []uint64
	Busy    bool // a worker has a request
	Streams map[string]StreamMemory
}

// Success is a request whose reconciler has dealt with everything.
type Success struct {
	Request  uint64
	At       int64 // nanoseconds since 1970
	Doubtful bool  // something was listed again since
}

// StreamMemory is what a stream knew of the objects that it had shown.
type StreamMemory struct {
	// Told has the requests to which an object was told last. A stream in which each object is for the request of its
	// own key has none.
	Told map[uint64][]uint64
	// Unsure are the objects that had something held back.
	Unsure map[uint64]struct{}
}
