// Package queue has the queue's data: what an entry of it shows, its numbers, and the
// options of an add.
