package lock

// order is the order of all locks of this module. Locks on one line are never held together. A goroutine that holds
// one may take those further down only. Under the first ones a function of the user's is called that may do anything,
// such as to read a cache; those of the last line are held for a few instructions.
var order = [][]any{
	{Popping{}},
	{Queue{}},
	{CacheScopes{}},
	{KindResync{}},
	{InformerScopes{}},
	{InformerDirect{}, StoreTurns{}},
	{StoreWrite{}},
	{Informer{}},
	{Processor{}},
	{FIFO{}, KeyFIFO{}, Resyncer{}},
	{Subscriber{}},
	{Binding{}, CacheKinds{}},
	{Clerk{}},
	{Runtime{}},
	{JournalShelf{}},
	{
		CallSteps{}, Calls{}, ControllerQueue{}, Descriptions{}, Group{}, Guard{}, Horizon{}, HotLoop{}, Indexers{}, Journal{}, Limiter{}, Line{}, Memory{}, Mutations{},
		Past{}, PathChecks{}, PathPredicate{}, Pins{}, QueueClock{}, Reflector{}, Relatives{}, Relists{},
		SharedInformer{}, Shown{}, StepCounts{}, Wishes{}, Writes{},
	},
}

// Each rank is of one lock: the field that its comment begins with.
type (
	// Popping is toolscache.DeltaFIFO.popping: the turn to pop. It is held while the user's
	// function processes what was popped.
	Popping struct{}
	// Queue is keyqueue.Queue.mu: the schedule of a queue. The user's metrics and the user's function
	// that orders keys are called while it is held.
	Queue struct{}
	// QueueClock is keyqueue.steady.mu: the clock that a queue was given, while it is read. The
	// user's clock is called while it is held, and must not call a queue.
	QueueClock struct{}

	// CacheScopes is cache.Cache.scoping: the right to change a cache's namespaces.
	CacheScopes struct{}
	// KindResync is cache.kind.resyncing: the right to put a kind's resync policies into effect.
	KindResync struct{}
	// CacheKinds is cache.Cache.mu: a cache's kinds and phase. Index functions may read a cache,
	// so it comes after StoreWrite.
	CacheKinds struct{}
	// Binding is cache.binding.mu: whether a kind's resource is being looked for.
	Binding struct{}
	// Relatives is cache.relatives.mu: the objects that a new object of a cache may share with.
	Relatives struct{}

	// InformerScopes is engine.Informer.scoping: the right to change the scopes.
	InformerScopes struct{}
	// InformerDirect is engine.Informer.direct: the right to write the store in the
	// Controller's place, while it does not run. It is held while the Controller writes for
	// somebody who waits, so index functions run under it.
	InformerDirect struct{}
	// Informer is engine.Informer.mu: phase and subscriptions.
	Informer struct{}
	// Processor is engine.processor.mu: the list of subscribers.
	Processor struct{}
	// FIFO is engine.DeltaFIFO.mu: pending deltas. Under it the store is read, which
	// waits for nobody.
	FIFO struct{}
	// Resyncer is engine.resyncer.mu: the timetable.
	Resyncer struct{}
	// Subscriber is engine.subscriber.mu: a subscriber's place in the log and its backlog.
	Subscriber struct{}

	// StoreWrite is store.Store.write: the right to change a store, from Begin to Commit. Index
	// functions run under it. Readers only try it, to clear away what a view has kept.
	StoreWrite struct{}
	// Pins is store.pins.mu: which commits somebody looks at.
	Pins struct{}
	// Wishes is store.wishes.mu: which label indexes are wanted.
	Wishes struct{}

	// StoreTurns is peer.threadSafe.turn: the right to write a store that no informer writes.
	StoreTurns struct{}
	// SharedInformer is peer.SharedInformer.mu: the handlers and their resync periods.
	SharedInformer struct{}
	// Indexers is peer.threadSafe.mu: the index functions by name.
	Indexers struct{}
	// KeyFIFO is toolscache.DeltaFIFO.mu: pending deltas, by key. Under it the consumer's store is read.
	KeyFIFO struct{}

	// Reflector is reflector.Reflector.mu: what a Reflector's status says.
	Reflector struct{}
	// Relists is reflector.relists.mu: who wants a new list of a Reflector.
	Relists struct{}
	// Horizon is reflector.Horizon.mu: how far the Reflectors of a kind have seen.
	Horizon struct{}
	// Limiter is reflector.Limiter.mu: who lists, and who waits for a turn.
	Limiter struct{}
	// Mutations is mutation.Detector.mu: what is watched for mutations.
	Mutations struct{}
	// Writes is writes.Writes.mu: what a client has written and is writing.
	Writes struct{}

	// ControllerQueue is recording.ControllerQueue.mu: what a controller may add once more.
	ControllerQueue struct{}

	// Clerk is delta.clerk.mu: the books of a controller. It is held while sources are asked what they have missed.
	Clerk struct{}
	// Runtime is managed.Runtime.mu: what runs of one manager, and which journal notes that. It is held
	// while a cache or a controller is told of its journal.
	Runtime struct{}
	// Past is answers.past.mu: the samples of the last quarter of an hour.
	Past struct{}
	// Shown is managed.runtimes.mu: which Runtimes a scrape looks at.
	Shown struct{}
	// Guard is builder.guard.mu: which requests are held back.
	Guard struct{}
	// Calls is observe.Calls.mu: why calls were told that something is missing.
	Calls struct{}
	// CallSteps is delta.callSteps.mu: what has become of the steps of one call.
	CallSteps struct{}
	// StepCounts is delta.stepCounts.mu: the counts of all steps.
	StepCounts struct{}
	// PathChecks is delta.pathChecks.mu: what a ledger knows of paths.
	PathChecks struct{}
	// PathPredicate is predicate.pathPredicate.mu: what a predicate knows of its paths.
	PathPredicate struct{}
	// Descriptions is schemas.descriptions.mu: what the server says about its kinds.
	Descriptions struct{}

	// JournalShelf is journal.shelf.mu: the last entries of one kind or controller. An informer holds
	// it for a batch.
	JournalShelf struct{}
	// HotLoop is hotloop.Watch.mu: which requests are called again and again.
	HotLoop struct{}
	// Journal is journal.Journal.mu: the kinds and controllers of a journal.
	Journal struct{}

	// Memory is memory.Memory.mu: what is saved. No file is touched under it.
	Memory struct{}

	// Line is reflector.Line.mu: who waits for a server that was away.
	Line struct{}
	// Group is lifecycle.Group.mu: the tasks that run, and how they ended.
	Group struct{}
)
