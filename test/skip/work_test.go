package skip

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/promise"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// needs asks the changes of the lazy operator whether a job has to be done.
func (c *call) needs(j *job) bool {
	told, paths := c.told, j.depends(c.settled)
	if j.relation == byMention && told.Touches(c.primary().ref.path) {
		return true
	}
	switch j.asks {
	case askOf:
		return told.Of(j.kind.example(j.example)).Touches(paths...)
	case askBy:
		return told.By(j.causes()...).Touches(paths...)
	case askHas:
		for _, cause := range append(j.causes(), delta.External, delta.Retry) {
			if told.Has(cause) {
				return true
			}
		}
		return !told.Complete()
	case askOnlySync:
		return !told.Only(delta.Sync)
	case askOnlyUpdated:
		return !told.Only(delta.Updated, delta.Sync)
	default:
		return told.Touches(paths...)
	}
}

// do does a job: it reads each object that may exist, and writes the outputs.
func (c *call) do(ctx context.Context, j *job) error {
	reader := client.Reader(c.life.cache)
	if j.manner == readingLive {
		reader = c.life.manager.GetAPIReader()
	}
	mentioned := ""
	if j.relation == byMention {
		var err error
		if mentioned, err = c.mentioned(ctx, j, reader); err != nil {
			return err
		}
	}
	found, err := c.read(ctx, j, reader)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in.dead.Load() {
		return errKilled
	}
	m := c.aboutLocked(c.request)
	var words []string
	for _, id := range c.candidates(j) {
		was := found[id]
		if was == nil {
			was = c.server.lastGone(id)
		}
		out := promise.Read{Version: was.version, Value: c.value(j, id, was, mentioned)}
		p := piece{j.n, id}
		m.outputs[p] = out
		m.reads.Add(p, out)
		words = append(words, fmt.Sprintf("%s@%d: %s", id.name, out.Version, out.Value))
	}
	c.note(func() string { return fmt.Sprintf("%s does job %d: %s", c, j.n, strings.Join(words, ", ")) })
	return nil
}

// candidates returns the objects that a job may be about.
func (o *operator) candidatesFor(j *job, namespace, name string) []objectID {
	if j.relation == itself {
		return []objectID{{j.kind, namespace, name}}
	}
	return slices.DeleteFunc(o.objects(j.kind), func(id objectID) bool { return id.namespace != namespace })
}

func (c *call) candidates(j *job) []objectID {
	return c.candidatesFor(j, c.request.Namespace, c.request.Name)
}

// mentioned reads the names that the primary object mentions.
func (c *call) mentioned(ctx context.Context, j *job, reader client.Reader) (string, error) {
	first := c.watches[0]
	id := objectID{first.kind, c.request.Namespace, c.request.Name}
	was, err := c.get(ctx, reader, id, first.form)
	if err != nil || was == nil {
		return "", err
	}
	name, _ := j.mentionedBy(first.kind, was)
	return name, nil
}

// mentionedBy returns the names that the primary object mentions in a state.
func (j *job) mentionedBy(primary *kind, was *state) (string, bool) {
	name, ok := primary.ref.get(was.object).(string)
	return name, ok
}

// read reads the objects that a job may be about.
func (c *call) read(ctx context.Context, j *job, reader client.Reader) (map[objectID]*state, error) {
	found := map[objectID]*state{}
	if j.manner == listing || j.manner == readingLive && c.roll(2, "list", j.n) == 0 {
		list := j.kind.list(j.form)
		if err := reader.List(ctx, list, client.InNamespace(c.request.Namespace)); err != nil {
			return nil, fmt.Errorf("list for job %d: %w", j.n, err)
		}
		return found, meta.EachListItem(list, func(item runtime.Object) error {
			obj := item.(client.Object)
			id := objectID{j.kind, obj.GetNamespace(), obj.GetName()}
			found[id] = c.stateOf(id, obj)
			return nil
		})
	}
	for _, id := range c.candidates(j) {
		was, err := c.get(ctx, reader, id, j.form)
		if err != nil {
			return nil, fmt.Errorf("read for job %d: %w", j.n, err)
		}
		if was != nil {
			found[id] = was
		}
	}
	return found, nil
}

// get reads one object. It is nil if there is none.
func (c *call) get(ctx context.Context, reader client.Reader, id objectID, f form) (*state, error) {
	obj := id.kind.example(f)
	switch err := reader.Get(ctx, client.ObjectKey{Namespace: id.namespace, Name: id.name}, obj); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return c.stateOf(id, obj), nil
}

// stateOf returns the remembered state of an object, which may have any form.
func (w *world) stateOf(id objectID, obj delta.Object) *state {
	version, err := strconv.ParseInt(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		w.fail("%s has the version %q", id, obj.GetResourceVersion())
	}
	return w.server.at(id, version)
}

// value is the output for an object.
func (c *call) value(j *job, id objectID, was *state, mentioned string) string {
	return j.value(c.request.Name, id, was, mentioned)
}

func (j *job) value(request string, id objectID, was *state, mentioned string) string {
	if was.object == nil || !j.belongs(request, id, was.object, mentioned) {
		return "-"
	}
	value := "there"
	if j.place != nil {
		value = text(j.place.get(was.object))
	}
	if j.life && value != "-" {
		value += " of " + text((&place{fields: []any{"metadata", "uid"}}).get(was.object))
	}
	return value
}

// belongs reports whether an object belongs to a request.
func (j *job) belongs(request string, id objectID, object map[string]any, mentioned string) bool {
	switch j.relation {
	case byOwner, byLabel:
		return belongsTo(j.relation, object) == request
	case byMention:
		return id.name == mentioned
	default:
		return id.name == request
	}
}

// belongsTo returns the name of the primary object that an object belongs to.
func belongsTo(r relation, object map[string]any) string {
	if r == byOwner {
		return ownerOf(object)
	}
	name, _ := labelled.get(object).(string)
	return name
}
