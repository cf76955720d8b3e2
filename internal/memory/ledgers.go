package memory

import (
	"errors"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// The first byte of a record of a ledger's file says what it is about.
const (
	ofSuccess = 's' // request, at, doubtful
	ofOpen    = 'o' // request
	ofStream  = 'n' // name; what follows is of this stream
	ofUnsure  = 'u' // object
	ofTold    = 't' // object, requests
)

// writeLedger saves a ledger in a file of its own, and returns the file's name.
func (m *Memory) writeLedger(controller string, saved *ledger.Memory) (string, error) {
	w, err := m.dir.Create("ledger-"+controller, []byte(controller))
	if err != nil {
		return "", err
	}
	defer w.Abandon()
	var buf []byte
	for _, s := range saved.Successes {
		buf = append(buf[:0], ofSuccess)
		buf = byteOrder.AppendUint64(buf, s.Request)
		buf = byteOrder.AppendUint64(buf, uint64(s.At)) //nolint:gosec // read back as it was
		if s.Doubtful {
			buf = append(buf, 1)
		}
		if err := w.Record(buf); err != nil {
			return "", err
		}
	}
	for _, request := range saved.Open {
		if err := w.Record(byteOrder.AppendUint64([]byte{ofOpen}, request)); err != nil {
			return "", err
		}
	}
	for name, stream := range saved.Streams {
		if err := w.Record(append([]byte{ofStream}, name...)); err != nil {
			return "", err
		}
		for object := range stream.Unsure {
			if err := w.Record(byteOrder.AppendUint64([]byte{ofUnsure}, object)); err != nil {
				return "", err
			}
		}
		for object, requests := range stream.Told {
			buf = byteOrder.AppendUint64(append(buf[:0], ofTold), object)
			for _, r := range requests {
				buf = byteOrder.AppendUint64(buf, r)
			}
			if err := w.Record(buf); err != nil {
				return "", err
			}
		}
	}
	return w.Finish()
}

// readLedger reads what writeLedger has written.
func (m *Memory) readLedger(entry ledgerEntry) (ledger.Memory, error) {
	saved := ledger.Memory{Streams: map[string]ledger.StreamMemory{}}
	r, err := m.dir.Open(entry.File)
	if err != nil {
		return saved, err
	}
	defer func() { _ = r.Close() }()
	var stream ledger.StreamMemory
	for {
		record, err := r.Next()
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			return saved, err
		}
		if len(record) > 0 && record[0] == ofStream {
			stream = ledger.StreamMemory{Told: map[uint64][]uint64{}, Unsure: map[uint64]struct{}{}}
			saved.Streams[string(record[1:])] = stream
			continue
		}
		if !readRecord(record, &saved, stream) {
			return saved, fmt.Errorf("%s has a record that is not understood", entry.File)
		}
	}
	if len(saved.Successes) != entry.Successes {
		return saved, fmt.Errorf("%s has %d successes, not %d", entry.File, len(saved.Successes), entry.Successes)
	}
	return saved, nil
}

func readRecord(record []byte, saved *ledger.Memory, stream ledger.StreamMemory) bool {
	if len(record) < 9 {
		return false
	}
	first, rest := byteOrder.Uint64(record[1:]), record[9:]
	switch {
	case record[0] == ofSuccess && (len(rest) == 8 || len(rest) == 9):
		saved.Successes = append(saved.Successes, ledger.Success{
			Request: first, At: int64(byteOrder.Uint64(rest)), Doubtful: len(rest) == 9, //nolint:gosec // as it was written
		})
	case record[0] == ofOpen && len(rest) == 0:
		saved.Open = append(saved.Open, first)
	case stream.Told == nil:
		return false
	case record[0] == ofUnsure && len(rest) == 0:
		stream.Unsure[first] = struct{}{}
	case record[0] == ofTold && len(rest) > 0 && len(rest)%8 == 0:
		requests := make([]uint64, 0, len(rest)/8)
		for ; len(rest) > 0; rest = rest[8:] {
			requests = append(requests, byteOrder.Uint64(rest))
		}
		stream.Told[first] = requests
	default:
		return false
	}
	return true
}
