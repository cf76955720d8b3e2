package queue

import "time"

// AddOptions say how to add a key. The zero value adds it at once, with priority zero.
type AddOptions struct {
	Priority int           // a higher one is handed out sooner
	After    time.Duration // the delay; zero or less: none
}

// Ageing keeps high priorities from starving low ones. Of every Every keys that the queue
// hands out, one is the key that has been queued longest, if that is longer than Patience.
//
// The bound: a key that is queued behind k others is handed out no later than Patience plus
// Every·(k+1) turns after that, whatever is added meanwhile. If its priority is raised, the
// count starts again.
//
// The price: while low priorities have waited for longer than Patience, the highest priority
// gets (Every-1)/Every of the turns. The queue hands out younger keys strictly by priority.
type Ageing struct {
	Patience time.Duration // 30s if zero; negative: nothing ages
	Every    int           // 4 if zero
}
