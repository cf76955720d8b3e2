package apifake

import (
	"context"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// List answers a list.
func (s *Server) List(ctx context.Context, o metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := s.check(o, false)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case o.Continue != "":
		return s.continueLocked(ctx, a)
	case o.ResourceVersionMatch == metav1.ResourceVersionMatchExact,
		o.ResourceVersionMatch == "" && o.Limit > 0 && a.version > 0:
		// A version with a limit has always meant this very version.
		return s.exactLocked(ctx, a, a.version, token{})
	case o.ResourceVersion == "":
		return s.newestLocked(ctx, a, token{})
	default:
		if err := s.reachLocked(ctx, a.version); err != nil {
			return nil, err
		}
		return a.page(s.cache.objects, s.cache.version, token{}), nil
	}
}

func (s *Server) continueLocked(ctx context.Context, a asked) (*metav1.PartialObjectMetadataList, error) {
	t, err := readToken(a.Continue)
	switch {
	case err != nil:
		return nil, err
	case a.version != 0:
		return nil, apierrors.NewBadRequest("a continue token has the resource version")
	case t.Version < 0:
		return s.newestLocked(ctx, a, t)
	default:
		return s.exactLocked(ctx, a, t.Version, t)
	}
}

// newestLocked answers with what the cache has once it has seen all that is in etcd now.
func (s *Server) newestLocked(ctx context.Context, a asked, from token) (*metav1.PartialObjectMetadataList, error) {
	if err := s.reachLocked(ctx, s.etcd.version); err != nil {
		return nil, err
	}
	return a.page(s.cache.objects, s.cache.version, from), nil
}

// exactLocked answers with what was at one version: as the cache remembers it, or else as
// etcd does.
func (s *Server) exactLocked(ctx context.Context, a asked, version int64, from token) (*metav1.PartialObjectMetadataList, error) {
	if version > s.cache.version {
		if err := s.reachLocked(ctx, version); err != nil {
			return nil, err
		}
	}
	switch {
	case version >= s.cache.since:
		return a.page(s.cache.at(version), version, from), nil
	case version > s.etcd.version:
		return nil, tooLarge(version, s.etcd.version, 0)
	case version >= s.etcd.since:
		return a.page(s.etcd.at(version), version, from), nil
	case from != token{}:
		return nil, expiredPage(from)
	default:
		return nil, expired(version, s.etcd.since)
	}
}

// page is one page of the objects, in the order of their keys.
func (a asked) page(objects map[string]*Object, version int64, from token) *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: format(version)}}
	keys := slices.Sorted(maps.Keys(objects))
	first, _ := slices.BinarySearch(keys, from.From)
	keys = keys[first:]
	limit := int(a.Limit)
	if a.ResourceVersion == "0" {
		limit = 0 // any version will do, and so the server does not care for pages
	}
	if limit > 0 && limit < len(keys) {
		left := int64(len(keys) - limit)
		list.Continue, list.RemainingItemCount = next(version, keys[limit-1]), &left
		keys = keys[:limit]
	}
	for _, key := range keys {
		list.Items = append(list.Items, *objects[key].DeepCopy())
	}
	return list
}
