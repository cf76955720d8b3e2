package savefile

import (
	"encoding/binary"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// forge makes a file of blocks that need not be right, with checksums that are.
func forge(name string, blocks ...[]byte) []byte {
	p := newPreamble(nil)
	by, content := p.protection(nil, name), p.append()
	for i, block := range blocks {
		content = append(content, block[:headLength]...)
		content = by.protect(content, block[:headLength], block[headLength:], uint64(i))
	}
	return content
}

func block(k kind, unpacked int, content []byte) []byte {
	return append(head{kind: k, length: len(content), unpacked: unpacked}.append(nil), content...)
}

// TestWhatNoWriterWrites has files whose checksums are right, and that make no sense.
func TestWhatNoWriterWrites(t *testing.T) {
	packer, err := newPacker(blockSize)
	if err != nil {
		t.Fatal(err)
	}
	begin, two, nothing := block(header, 0, nil), block(plain, 4, []byte("\x01a\x01b")), block(plain, 0, nil)
	last := func(count byte) []byte { return block(end, endLength, []byte{count, 0, 0, 0, 0, 0, 0, 0}) }
	b := newBench(t, Options{})
	for want, blocks := range map[string][][]byte{
		"":                                       {begin, nothing, two, nothing, last(2)},
		"2 records were written, and 3 are here": {begin, two, block(plain, 1, []byte{0}), last(2)},
		"3 records were written, and 2 are here": {begin, two, last(3)},
		"something follows after the end":        {begin, two, last(2), nothing},
		"it ends here, without an end":           {begin, two},
		"it ends within a record":                {begin, block(plain, 1, []byte{9}), last(0)},
		"no header is where one should be":       {two, last(2)},
		"a header is where records should be":    {begin, begin, last(0)},
		"its records can't be unpacked":          {begin, block(packed, 2000, packer.EncodeAll(make([]byte, 1000), nil)), last(232)},
		"no block begins like this":              {begin, block('x', 0, nil), last(0)},
		"a record has no length":                 {begin, block(plain, 1, []byte{128}), last(0)},
	} {
		name := fileName("forged")
		b.disk.put(name, forge(name, blocks...))
		_, _, err := loaded(b.Dir, name)
		checkRefused(t, err, want)
	}
}

func TestOtherVersionsAreTold(t *testing.T) {
	b := newBench(t, Options{})
	for position, want := range map[int]string{
		magicLength:     "it has format version 2, and this program reads version 1",
		0:               "it does not begin as a saved file does",
		fixedLength + 1: "its first bytes are damaged",
	} {
		name := saved(t, b.Dir, "head", sample...)
		content := b.content(name)
		content[position]++
		b.disk.put(name, content)
		_, _, err := loaded(b.Dir, name)
		checkRefused(t, err, want)
	}
}

// TestALengthThatLiesCostsNothing has lengths that are too large in each place where one is.
func TestALengthThatLiesCostsNothing(t *testing.T) {
	packer, err := newPacker(blockSize)
	if err != nil {
		t.Fatal(err)
	}
	bomb, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 32<<20)
	begin := block(header, 0, nil)
	records := func(length uint64) []byte { return binary.AppendUvarint(nil, length) }
	long := func(k kind, length, unpacked uint32) []byte {
		b := binary.LittleEndian.AppendUint32([]byte{byte(k)}, length)
		return binary.LittleEndian.AppendUint32(b, unpacked)
	}
	b := newBench(t, Options{})
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for lie, blocks := range map[string][][]byte{
		"a header":                       {long(header, math.MaxUint32, math.MaxUint32)},
		"a block":                        {begin, long(plain, 1<<30, 1<<30)},
		"a block just above":             {begin, long(plain, blockSize+1, blockSize+1)},
		"a block unpacked":               {begin, long(packed, 10, math.MaxUint32)},
		"an end":                         {begin, long(end, 1<<20, 1<<20)},
		"the longest record":             {begin, block(plain, len(records(maxRecord)), records(maxRecord))},
		"a record that is too long":      {begin, block(plain, len(records(math.MaxUint64)), records(math.MaxUint64))},
		"what unpacks to more":           {begin, block(packed, 1000, packer.EncodeAll(zeros[:2000], nil))},
		"what unpacks to less":           {begin, block(packed, 2000, packer.EncodeAll(zeros[:1000], nil))},
		"what unpacks to very much more": {begin, block(packed, blockSize, bomb.EncodeAll(zeros, nil))},
	} {
		t.Run(lie, func(t *testing.T) {
			name := fileName("forged")
			b.disk.put(name, forge(name, blocks...))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.GC() // now no pool has anything, whether or not the collector has been at work
			runtime.ReadMemStats(&before)
			_, _, err := loaded(b.Dir, name)
			runtime.ReadMemStats(&after)
			if !isRefused(err) {
				t.Errorf("the error is %v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 3*blockSize {
				t.Errorf("%d bytes were allocated for a lie, and a block has %d", took, blockSize)
			}
		})
	}
}
