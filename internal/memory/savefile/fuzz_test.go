package savefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
)

// FuzzReader reads files that are damaged in any way. Without repair they must be refused unless they
// are whole. With it the seals are made to fit, as somebody could who wants to do harm to a
// directory without a key: then anything may be read, but reading ends, and has its bounds.
func FuzzReader(f *testing.F) {
	b, sealed := newBench(f, Options{}), newBench(f, Options{Key: key})
	name, sealedName := saved(f, b.Dir, "head", sample...), saved(f, sealed.Dir, "head", sample...)
	whole, wholeSealed := b.content(name), sealed.content(sealedName)
	b.first, sealed.first = map[string][]byte{name: whole}, map[string][]byte{sealedName: wholeSealed}
	for _, repair := range []bool{false, true} {
		for _, keep := range []int{0, preambleLength, len(whole) / 2, len(whole) - 1, len(whole), len(wholeSealed) - 1, len(wholeSealed)} {
			f.Add([]byte{}, uint16(keep), []byte{}, repair) //nolint:gosec // files of tests are short
		}
		f.Add([]byte{}, uint16(len(whole)), whole, repair)                                   //nolint:gosec // the same
		f.Add(bytes.Repeat([]byte{1}, preambleLength), uint16(len(whole)), []byte{}, repair) //nolint:gosec // the same
	}
	f.Fuzz(func(t *testing.T, damage []byte, keep uint16, tail []byte, repair bool) {
		if repair {
			readAnything(t, b, name, repaired(name, damaged(whole, damage, keep, tail)))
			return
		}
		readDamaged(t, b, name, damaged(whole, damage, keep, tail))
		readDamaged(t, sealed, sealedName, damaged(wholeSealed, damage, keep, tail))
	})
}

// damaged is a file with some bits turned, cut, and with more at its end. Each process that fuzzes has a whole file of its own, because
// a part of it is random: so what is fuzzed is the damage.
func damaged(whole, damage []byte, keep uint16, tail []byte) []byte {
	content := slices.Clone(whole)
	for i := range min(len(damage), len(content)) {
		content[i] ^= damage[i]
	}
	return append(content[:min(len(content), int(keep))], tail...)
}

// readDamaged knows what was written by what b has had at first.
func readDamaged(t *testing.T, b *bench, name string, content []byte) {
	whole := bytes.Equal(content, b.first[name])
	b.disk.put(name, content)
	_, got, err := loaded(b.Dir, name)
	if whole != (err == nil) || err != nil && !isRefused(err) {
		t.Errorf("the file is whole: %v, the error is %v", whole, err)
	}
	if len(got) > len(sample) || !slices.Equal(got, sample[:len(got)]) {
		t.Errorf("the records are %q, want a prefix of %q", got, sample)
	}
}

// repaired takes what follows a right preamble for blocks, and seals them.
func repaired(name string, content []byte) []byte {
	content = content[min(len(content), preambleLength):]
	var blocks []forged
	for len(content) >= headLength {
		k, length := kind(content[0]), binary.LittleEndian.Uint32(content[1:])
		if int64(headLength)+int64(length) > int64(len(content)) {
			break
		}
		end := headLength + int(length)
		blocks = append(blocks, forged{k, slices.Clone(content[headLength:end])})
		content = content[min(len(content), end+tagLength):]
	}
	return append(forge(name, blocks...), content...)
}

func readAnything(t *testing.T, b *bench, name string, content []byte) {
	b.disk.put(name, content)
	r, err := b.read(name)
	if err != nil {
		if !isRefused(err) {
			t.Errorf("the error is %v", err)
		}
		return
	}
	size := 0
	for {
		var record []byte
		if record, err = r.Next(); err != nil {
			break
		}
		size += 1 + len(record)
	}
	if !errors.Is(err, io.EOF) && !isRefused(err) {
		t.Errorf("the error is %v", err)
	}
	const repeats = 128 << 10 // is the most that a few bytes unpack to
	if most := len(content) * repeats; size > most {
		t.Errorf("%d bytes were read from %d, and no more than %d can be in them", size, len(content), most)
	}
	if c := cap(r.opener.room); c > blockSize+tagLength {
		t.Errorf("there is room for %d bytes, and a block has %d", c, blockSize)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
