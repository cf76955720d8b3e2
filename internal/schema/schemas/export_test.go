package schemas

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Tag reads a document, unless it has a tag, and returns the tag that it has now.
func (s *Kinds) Tag(ctx context.Context, of schema.GroupVersion, tag string) (now string, err error) {
	_, now, err = s.server.server.read(ctx, of, tag)
	if errors.Is(err, errSame) {
		return tag, nil
	}
	return now, err
}
