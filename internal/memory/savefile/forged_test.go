package savefile

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// forged is a block that need not be right.
type forged struct {
	kind    kind
	content []byte
}

// forge makes a file of such blocks, with seals that are right.
func forge(name string, blocks ...forged) []byte {
	preamble := newPreamble(nil)
	seal, err := newSeal(preamble, nil, name)
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	_, _ = out.Write(preamble)
	s := &sealer{to: &out, seal: seal}
	for _, b := range blocks {
		s.block = b.content
		_ = s.flush(b.kind)
	}
	return out.Bytes()
}

// zipped is content as a Writer compresses it.
func zipped(t *testing.T, content string) []byte {
	t.Helper()
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	must(t, err)
	return packer.EncodeAll([]byte(content), nil)
}

// TestWhatNoWriterWrites has files whose seals are right, and that make no sense.
func TestWhatNoWriterWrites(t *testing.T) {
	two := zipped(t, "\x04head\x01a\x01b")
	b := newBench(t, Options{})
	for want, files := range map[string][][]forged{
		"":                                {{{more, two[:5]}, {more, nil}, {last, two[5:]}}},
		"something follows after the end": {{{last, two}, {more, nil}}},
		"it ends here, without an end":    {{{more, two}}},
		"no block begins like this":       {{{'x', two}}},
		"it has no header":                {{{last, nil}}},
		"a record has no length":          {{{last, zipped(t, "\x04head\xff\xff\xff\xff\x0f")}}},
		"its records can't be unpacked": {
			{{last, []byte("plain text")}}, {{last, zipped(t, "\x04head\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")}},
		},
		"it ends within a record": {{{last, two[:len(two)-1]}}, {{last, zipped(t, "\x04head\x09a")}}, {{last, zipped(t, "\x04head\x80")}}},
	} {
		for _, blocks := range files {
			name := fileName("forged")
			b.disk.put(name, forge(name, blocks...))
			_, _, err := loaded(b.Dir, name)
			checkRefused(t, err, want)
		}
	}
}

func TestOtherVersionsAreTold(t *testing.T) {
	b := newBench(t, Options{})
	for position, want := range map[int]string{
		magicLength: "it has format version 3, and this program reads version 2",
		0:           "it does not begin as a saved file does",
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
	name := fileName("forged")
	record := func(length uint64) []byte {
		return forge(name, forged{last, zipped(t, string(binary.AppendUvarint(nil, length)))})
	}
	block := func(length uint32) []byte {
		return binary.LittleEndian.AppendUint32(append(forge(name), byte(more)), length)
	}
	b := newBench(t, Options{})
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for lie, content := range map[string][]byte{
		"a block":                        block(math.MaxUint32),
		"a block just above":             block(blockSize + 1),
		"the longest record":             record(maxRecord),
		"a record that is too long":      record(math.MaxUint64),
		"what unpacks to very much more": forge(name, forged{last, zipped(t, string(make([]byte, 32<<20)))}),
	} {
		t.Run(lie, func(t *testing.T) {
			b.disk.put(name, content)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.GC() // now no pool has anything, whether or not the collector has been at work
			runtime.ReadMemStats(&before)
			_, _, err := loaded(b.Dir, name)
			runtime.ReadMemStats(&after)
			if !isRefused(err) {
				t.Errorf("the error is %v", err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 3*window {
				t.Errorf("%d bytes were allocated for a lie, and records are compared over %d", took, window)
			}
		})
	}
}
