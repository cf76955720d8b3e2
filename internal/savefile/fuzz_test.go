package savefile

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
)

// FuzzReader reads files that are damaged in any way. Without repair they must be refused unless they
// are whole. With it the checksums are made to fit, as somebody could who wants to do harm to a
// directory without a key: then anything may be read, but reading ends, and has its bounds.
func FuzzReader(f *testing.F) {
	b, sealed := newBench(f, Options{}), newBench(f, Options{Key: key})
	name, sealedName := saved(f, b.Dir, "head", sample...), saved(f, sealed.Dir, "head", sample...)
	whole, wholeSealed := b.content(name), sealed.content(sealedName)
	b.first, sealed.first = map[string][]byte{name: whole}, map[string][]byte{sealedName: wholeSealed}
	for _, seed := range [][]byte{whole, whole[:len(whole)/2], whole[:preambleLength], {}, append(slices.Clone(whole), whole...)} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Add(wholeSealed, false)
	f.Add(wholeSealed[:len(wholeSealed)-1], false)
	f.Fuzz(func(t *testing.T, content []byte, repair bool) {
		if repair {
			readAnything(t, b, name, repaired(whole, name, content))
			return
		}
		readDamaged(t, b, name, content)
		readDamaged(t, sealed, sealedName, content)
	})
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

// repaired takes what follows a right preamble for blocks, and makes their checksums right.
func repaired(whole []byte, name string, content []byte) []byte {
	var p preamble
	p.parse(whole)
	by, out := p.protection(nil, name), slices.Clone(whole[:preambleLength])
	content = content[min(len(content), preambleLength):]
	for number := uint64(0); len(content) >= headLength; number++ {
		h, ok := parseHead(content)
		if !ok || headLength+h.length > len(content) {
			break
		}
		begin, block := content[:headLength], content[headLength:headLength+h.length]
		out = by.protect(append(out, begin...), begin, block, number)
		content = content[min(len(content), headLength+h.length+tagLength):]
	}
	return append(out, content...)
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
	if most := len(content) / headLength * blockSize; size > most {
		t.Errorf("%d bytes were read from %d, and no more than %d can be in so many blocks", size, len(content), most)
	}
	if c := cap(r.block) + cap(r.room); c > 2*blockSize+tagLength {
		t.Errorf("there is room for %d bytes, and a block has %d", c, blockSize)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
