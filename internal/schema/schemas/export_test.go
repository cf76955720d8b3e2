package schemas

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/schema/openapi"
)

// Keeps reports whether the type of a kind is in memory.
func (s *Kinds) Keeps(kind string) bool {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	has := func(types *openapi.Types) bool {
		if types == nil {
			return false
		}
		_, err := types.Of(kind)
		return err == nil
	}
	for _, g := range s.server.known {
		if has(g.types) || g.kinds[kind] != nil && has(g.kinds[kind].types) {
			return true
		}
	}
	return false
}

// Tag reads a document, unless it has a tag, and returns the tag that it has now.
func (s *Kinds) Tag(ctx context.Context, of schema.GroupVersion, tag string) (now string, err error) {
	_, now, err = s.server.server.read(ctx, of, tag)
	if errors.Is(err, errSame) {
		return tag, nil
	}
	return now, err
}
