package savefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// bench is a directory on a model disk, where files can be damaged.
type bench struct {
	*Dir
	disk  *hardware
	first map[string][]byte // what files had when they were whole
}

func newBench(t testing.TB, opts Options) *bench {
	t.Helper()
	hw := newHardware(rand.New(rand.NewPCG(1, 1)))
	d, err := open(&process{hardware: hw, fuse: -1}, "/saved", opts)
	must(t, err)
	d.block = 24
	return &bench{Dir: d, disk: hw}
}

// content is what a file has on the disk.
func (b *bench) content(name string) []byte { return slices.Clone(b.disk.now[name].now) }

// sample has records in several blocks.
var sample = []string{"one", "", "two", strings.Repeat("aaaaaaaab", 5), "q8Zk2!xV0pLw7@rT", strings.Repeat("long ", 30), "three"}

// check holds what is read of a damaged file to what was written.
func (b *bench) check(t *testing.T, name string, content []byte, damage string) {
	t.Helper()
	b.disk.put(name, content)
	head, got, err := loaded(b.Dir, name)
	switch {
	case err == nil:
		t.Fatalf("%s: nobody has noticed", damage)
	case !isRefused(err):
		t.Fatalf("%s: the error is %v, want one that refuses", damage, err)
	case head != "" && head != "head":
		t.Fatalf("%s: the header is %q", damage, head)
	case len(got) > len(sample) || !slices.Equal(got, sample[:len(got)]):
		t.Fatalf("%s: the records are %q, want a prefix of %q", damage, got, sample)
	}
}

// split returns the preamble and the blocks of a file.
func split(content []byte) (parts [][]byte) {
	parts, content = append(parts, content[:preambleLength]), content[preambleLength:]
	for len(content) > 0 {
		n := headLength + int(binary.LittleEndian.Uint32(content[1:])) + tagLength
		parts, content = append(parts, content[:n]), content[n:]
	}
	return parts
}

func TestEachByteCounts(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		name := saved(t, b.Dir, "head", sample...)
		whole := b.content(name)
		for i := range whole {
			for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128, 255} {
				damaged := slices.Clone(whole)
				damaged[i] ^= flip
				b.check(t, name, damaged, fmt.Sprintf("byte %d is flipped by %d", i, flip))
			}
			b.check(t, name, whole[:i], fmt.Sprintf("cut to %d bytes", i))
			b.check(t, name, slices.Delete(slices.Clone(whole), i, i+1), fmt.Sprintf("byte %d is missing", i))
			b.check(t, name, slices.Insert(slices.Clone(whole), i, whole[i]), fmt.Sprintf("byte %d is doubled", i))
			b.check(t, name, append(slices.Clone(whole), whole[:i+1]...), fmt.Sprintf("%d bytes are appended", i+1))
		}
	})
}

// TestEachBlockHasOnePlace puts blocks, and whole files, in the place of others: of the same file, of the one that was there
// before, of one with the same records, and of one with others.
func TestEachBlockHasOnePlace(t *testing.T) {
	both(t, func(t *testing.T, opts Options) {
		b := newBench(t, opts)
		before := split(b.content(saved(t, b.Dir, "head", sample...)))
		name := saved(t, b.Dir, "head", sample...)
		own := split(b.content(name))
		if len(own) < 4 {
			t.Fatalf("the file has %d parts", len(own))
		}
		others := map[string][][]byte{
			"the file":  own,
			"it before": before,
			"a twin":    split(b.content(savedAs(t, b.Dir, "twin", append([]string{"head"}, sample...)...))),
			"another":   split(b.content(savedAs(t, b.Dir, "another", append([]string{"head", "zero"}, sample[1:]...)...))),
		}
		for from, parts := range others {
			for i := range own {
				for k, part := range parts {
					if from == "the file" && i == k {
						continue
					}
					replaced := slices.Clone(own)
					replaced[i] = part
					b.check(t, name, bytes.Join(replaced, nil), fmt.Sprintf("part %d is part %d of %s", i, k, from))
					b.check(t, name, bytes.Join(slices.Insert(slices.Clone(own), i, part), nil), fmt.Sprintf("part %d of %s is put before part %d", k, from, i))
				}
				b.check(t, name, bytes.Join(slices.Concat(parts[:i], own[i+1:]), nil), fmt.Sprintf("up to part %d it is %s, and part %d is missing", i, from, i))
			}
			if from == "a twin" || from == "another" { // nothing in a directory tells that an old file was put back as a whole
				b.check(t, name, bytes.Join(parts, nil), "it is "+from)
			}
			if from != "the file" {
				b.check(t, name, bytes.Join(append(own[:1:1], parts[1:]...), nil), "all but the preamble is "+from)
				b.check(t, name, bytes.Join(append(parts[:1:1], own[1:]...), nil), "the preamble is "+from)
			}
		}
	})
}

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
