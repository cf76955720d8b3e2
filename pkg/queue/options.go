package queue

import "time"

// AddOptions say how to add a key. The zero value adds it at once, with priority zero.
type AddOptions struct {
	Priority int           // a higher one is handed out sooner
	After    time.Duration // the delay; zero or less: none
}

// Ageing keeps high priorities from starving low ones. In each round of Every keys, one
// turn belongs to the key that has been queued longest, if that is longer than Patience.
//
// The bound: k other keys are queued before a key. Then the queue hands that key out no
// later than Patience plus Every·(k+1) turns after it was queued, whatever is added
// meanwhile. A raise to a higher priority starts the count again.
//
// The price: while low priorities wait for longer than Patience, the highest priority gets
// (Every-1)/Every of the turns. The queue hands out younger work strictly by priority.
type Ageing struct {
	Patience time.Duration // 30s if zero; negative: nothing ages
	Every    int           // 4 if zero
}
