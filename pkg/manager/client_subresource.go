package manager

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recordingSubresource notes what came of writes of a subresource. It makes a version
// of the whole object.
type recordingSubresource struct {
	client.SubResourceWriter
	noted *recordingClient
}

// recordingSubresourceClient is one that can also be read.
type recordingSubresourceClient struct {
	client.SubResourceReader
	recordingSubresource
}

// Update is noted if it is one of a certain version.
func (s *recordingSubresource) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	send := func() error { return s.SubResourceWriter.Update(ctx, obj, opts...) }
	how := (&client.SubResourceUpdateOptions{}).ApplyOptions(opts)
	body := cmp.Or(how.SubResourceBody, obj)
	over := body.GetResourceVersion()
	if over == "" || isDry(how.AsUpdateOptions().DryRun) {
		return send()
	}
	defer s.noted.begin(obj)()
	err := send()
	if err == nil {
		s.noted.writes.Wrote(body.GetUID(), over, body.GetResourceVersion())
	}
	return err
}

// Patch is noted if it is one of a certain version.
func (s *recordingSubresource) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	how := (&client.SubResourcePatchOptions{}).ApplyOptions(opts)
	answer := cmp.Or(how.SubResourceBody, obj)
	if isDry(how.AsPatchOptions().DryRun) {
		return s.SubResourceWriter.Patch(ctx, obj, patch, opts...)
	}
	return s.noted.notePatch(obj, answer, patch, func(patch client.Patch) error {
		return s.SubResourceWriter.Patch(ctx, obj, patch, opts...)
	})
}

// Apply is noted if it is one of a certain version.
func (s *recordingSubresource) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	send := func() error { return s.SubResourceWriter.Apply(ctx, obj, opts...) }
	how := (&client.SubResourceApplyOptions{}).ApplyOpts(opts)
	answer := cmp.Or(how.SubResourceBody, obj)
	if isDry(how.AsPatchOptions().DryRun) {
		return send()
	}
	return s.noted.noteApply(obj, answer, send)
}

// recordingWatcher is a recordingClient of one that can also watch.
type recordingWatcher struct {
	*recordingClient
	watcher client.WithWatch
}

var _ client.WithWatch = (*recordingWatcher)(nil)

// Watch is the client's.
func (c *recordingWatcher) Watch(ctx context.Context, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
	return c.watcher.Watch(ctx, list, opts...)
}
