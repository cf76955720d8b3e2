// Package keyqueue decides which key a worker gets next, and when.
