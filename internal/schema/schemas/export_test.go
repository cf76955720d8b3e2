package schemas

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"weak"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
)

// Keeps reports whether the type of a kind is in memory.
func (s *Kinds) Keeps(kind string) bool {
	runtime.GC()
	s.server.making.Lock()
	defer s.server.making.Unlock()
	return slices.ContainsFunc(s.server.made, func(p weak.Pointer[openapi.Types]) bool {
		types := p.Value()
		if types == nil {
			return false
		}
		_, err := types.Of(kind)
		return err == nil
	})
}

// Made is how many types are remembered to share with.
func (s *Kinds) Made() int {
	s.server.making.Lock()
	defer s.server.making.Unlock()
	return len(s.server.made)
}

// Tag reads a document, unless it has a tag, and returns the tag that it has now.
func (s *Kinds) Tag(ctx context.Context, of schema.GroupVersion, tag string) (now string, err error) {
	_, now, err = s.server.server.read(ctx, of, tag)
	if errors.Is(err, errSame) {
		return tag, nil
	}
	return now, err
}
