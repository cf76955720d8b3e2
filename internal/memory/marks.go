package memory

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
)

// marks is a file that notes which requests a worker has taken since the ledgers were saved. Each costs one write of 16
// bytes, which the kernel has when the worker goes on: nothing is lost if the process is killed. Marks may be lost if the
// machine goes down, but then no ledger is believed.
//
//	head │ slot │ slot │ slot │ …   as many as there are requests that can be marked
//
//	a slot │ 1 + number of the controller │ request │ checksum │ ; all zero: free
type marks struct {
	file        *os.File
	name        string
	controllers map[string]uint32
	slots       int64
	used        atomic.Int64
}

const (
	slotSize   = 16
	marksMagic = "delta-runtime 01" // as long as a slot
	marksLabel = "taken-"
	// spare is room for requests that are taken while one save takes the place of another. They may be in the wrong file, too.
	spare = 256
)

var byteOrder = binary.LittleEndian

// path is where a file is that is not the savefile's.
func (m *Memory) path(name string) string { return filepath.Join(m.opts.Dir, filepath.Base(name)) }

// newMarks makes a file with room for each request of each controller.
func newMarks(path string, room map[string]int) (_ *marks, err error) {
	ms := &marks{name: filepath.Base(path), controllers: map[string]uint32{}}
	for i, name := range slices.Sorted(maps.Keys(room)) {
		ms.controllers[name] = uint32(i) //nolint:gosec // there are few controllers
		ms.slots += int64(room[name])
	}
	ms.slots += spare
	if ms.file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return nil, fmt.Errorf("make a file for the requests that are taken: %w", err)
	}
	defer func() {
		if err != nil {
			ms.close()
			_ = os.Remove(path)
		}
	}()
	if _, err = ms.file.WriteString(marksMagic); err != nil {
		return nil, fmt.Errorf("begin %s: %w", path, err)
	}
	empty := make([]byte, 1<<16) // written, so that the disk can't be full later
	for left := ms.slots * slotSize; left > 0; {
		n, err := ms.file.Write(empty[:min(left, int64(len(empty)))])
		if err != nil {
			return nil, fmt.Errorf("make room in %s: %w", path, err)
		}
		left -= int64(n)
	}
	if err = ms.file.Sync(); err != nil {
		return nil, fmt.Errorf("sync %s: %w", path, err)
	}
	return ms, nil
}

func (ms *marks) close() { _ = ms.file.Close() }

// add notes a request.
func (ms *marks) add(controller string, request uint64) error {
	number, known := ms.controllers[controller]
	if !known {
		return nil
	}
	slot := ms.used.Add(1) - 1
	if slot >= ms.slots {
		return fmt.Errorf("%s has no room left", ms.name)
	}
	data := slotOf(number, request, slot)
	_, err := ms.file.WriteAt(data[:], int64(len(marksMagic))+slot*slotSize)
	if err != nil && !errors.Is(err, os.ErrClosed) { // another file has taken its place, and has the request
		return fmt.Errorf("note a request that is taken: %w", err)
	}
	return nil
}

func slotOf(controller uint32, request uint64, slot int64) (data [slotSize]byte) {
	byteOrder.PutUint32(data[:], controller+1)
	byteOrder.PutUint64(data[4:], request)
	byteOrder.PutUint32(data[12:], crc32.ChecksumIEEE(byteOrder.AppendUint64(slices.Clone(data[:12]), uint64(slot)))) //nolint:gosec // not negative
	return data
}

// readMarks returns the requests of each controller that were taken.
func readMarks(path string, room map[string]int) (map[string]map[uint64]struct{}, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read which requests were taken since: %w", err)
	}
	names := slices.Sorted(maps.Keys(room))
	want := len(marksMagic) + spare*slotSize
	all := make(map[string]map[uint64]struct{}, len(names))
	for _, name := range names {
		want += room[name] * slotSize
		all[name] = map[uint64]struct{}{}
	}
	if len(data) != want || string(data[:len(marksMagic)]) != marksMagic {
		return nil, fmt.Errorf("%s is not as it was made", path)
	}
	data = data[len(marksMagic):]
	for slot := range int64(len(data) / slotSize) {
		found := [slotSize]byte(data[slot*slotSize:])
		if found == [slotSize]byte{} {
			continue // or somebody was killed before the worker went on
		}
		number, request := byteOrder.Uint32(found[:])-1, byteOrder.Uint64(found[4:])
		if int(number) >= len(names) || found != slotOf(number, request, slot) {
			return nil, fmt.Errorf("%s is damaged in slot %d", path, slot)
		}
		all[names[number]][request] = struct{}{}
	}
	return all, nil
}

// removeMarks removes the files of earlier marks, except one.
func (m *Memory) removeMarks(except string) error {
	found, err := filepath.Glob(filepath.Join(m.opts.Dir, marksLabel+"*.marks"))
	if err != nil {
		return fmt.Errorf("look for old files: %w", err)
	}
	var errs []error
	for _, path := range found {
		if filepath.Base(path) != except {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}
