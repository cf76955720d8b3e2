package inspector

import (
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (h *handler) kinds(c *call) (v1.KindList, error) {
	return h.subject.Kinds(c.query.texts["kind"]), nil
}

func (h *handler) memory(c *call) (v1.Memory, error) {
	return h.subject.Memory(c.r.Context(), c.query.texts["kind"])
}

func (h *handler) deltas(c *call) (v1.DeltaList, error) {
	q, _ := h.deltaQuery(c)
	// The list has all up to there that the filter wants. Later deltas are left to the stream: the list may have those of one
	// kind, and not those of another. Who goes on after a delta gets the next ones, and the cursor is the last of these.
	q.Until, q.First = max(q.Since, h.subject.Newest(), 1), c.query.hasFrom
	list := h.subject.Deltas(q)
	ends := q.Until
	switch {
	case !q.First || list.Cut == "" && len(list.Items) < q.Limit:
	case len(list.Items) == 0:
		ends = q.Since
	default:
		ends = list.Items[0].ID
	}
	list.Cursor = place{h.process, ends}.String()
	return list, nil
}

// deltaQuery says which deltas a call is about. If it asks for those after a delta of another
// process, it gets all, and restarted is true.
func (h *handler) deltaQuery(c *call) (q DeltaQuery, restarted bool) {
	t, since := c.query.texts, c.query.since
	if restarted = since.process != "" && since.process != h.process; restarted {
		since.id = 0
	}
	return DeltaQuery{
		Kind: t["kind"], Namespace: t["namespace"], Name: t["name"], Op: t["op"], Manager: t["manager"],
		Since: since.id, Limit: c.query.limit,
	}, restarted
}

func (h *handler) controllers(*call) (v1.ControllerList, error) {
	return h.subject.Controllers(), nil
}

func (h *handler) reconciles(c *call) (v1.ReconcileList, error) {
	t := c.query.texts
	return h.subject.Reconciles(ReconcileQuery{
		Controller: t["controller"], Namespace: t["namespace"], Name: t["name"], Result: t["result"],
		Slowest: t["order"] == "slowest", Limit: c.query.limit,
	}), nil
}

func (h *handler) loops(*call) (v1.LoopList, error) {
	return h.subject.Loops(), nil
}

func (h *handler) queues(c *call) (v1.QueueList, error) {
	return h.subject.Queues(c.query.texts["controller"], c.query.limit), nil
}

func (h *handler) why(c *call) (v1.Why, error) {
	kind, namespace, name := c.query.texts["kind"], c.query.texts["namespace"], c.query.texts["name"]
	why, err := h.subject.Why(kind, namespace, name)
	if err == nil && c.query.texts["family"] == "yes" {
		why.Owners, why.Children = h.subject.Family(kind, namespace, name)
	}
	return why, err
}
