package inspector

import (
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

func (h *handler) kinds(c *call) (v1.KindList, error) {
	only, err := h.kind(c)
	if err != nil {
		return v1.KindList{}, err
	}
	return h.subject.Kinds(only), nil
}

func (h *handler) memory(c *call) (v1.Memory, error) {
	kind, err := h.kind(c)
	if err != nil {
		return v1.Memory{}, err
	}
	return h.subject.Memory(c.r.Context(), kind)
}

func (h *handler) deltas(c *call) (v1.DeltaList, error) {
	q, _, err := h.deltaQuery(c)
	if err != nil {
		return v1.DeltaList{}, err
	}
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
func (h *handler) deltaQuery(c *call) (q DeltaQuery, restarted bool, err error) {
	kind, err := h.kind(c)
	if err != nil {
		return q, false, err
	}
	t, since := c.query.texts, c.query.since
	if restarted = since.process != "" && since.process != h.process; restarted {
		since.id = 0
	}
	return DeltaQuery{
		Kind: kind, Namespace: t["namespace"], Name: t["name"], Op: t["op"], Manager: t["manager"],
		Since: since.id, Limit: c.query.limit,
	}, restarted, nil
}

// kind is the name of the kind that a call is about; empty if it is about all.
func (h *handler) kind(c *call) (string, error) {
	asked := c.query.texts["kind"]
	if asked == "" {
		return "", nil
	}
	return findKind(h.subject.KindNames(), asked)
}

// controller is the controller that a call is about; empty if it is about all.
func (h *handler) controller(c *call) (string, error) {
	asked := c.query.texts["controller"]
	if asked == "" {
		return "", nil
	}
	return asked, findController(h.subject.ControllerNames(), asked)
}

func (h *handler) controllers(*call) (v1.ControllerList, error) {
	return h.subject.Controllers(), nil
}

func (h *handler) reconciles(c *call) (v1.ReconcileList, error) {
	controller, err := h.controller(c)
	if err != nil {
		return v1.ReconcileList{}, err
	}
	t, order := c.query.texts, Newest
	if t["order"] == "slowest" {
		order = Slowest
	}
	return h.subject.Reconciles(ReconcileQuery{
		Controller: controller, Namespace: t["namespace"], Name: t["name"], Result: t["result"],
		Order: order, Limit: c.query.limit,
	}), nil
}

func (h *handler) loops(*call) (v1.LoopList, error) {
	return h.subject.Loops(), nil
}

func (h *handler) queues(c *call) (v1.QueueList, error) {
	controller, err := h.controller(c)
	if err != nil {
		return v1.QueueList{}, err
	}
	return h.subject.Queues(controller, c.query.limit), nil
}

func (h *handler) why(c *call) (v1.Why, error) {
	kind, err := h.kind(c)
	if err != nil {
		return v1.Why{}, err
	}
	namespace, name := c.query.texts["namespace"], c.query.texts["name"]
	why, err := h.subject.Why(kind, namespace, name)
	if err == nil && c.query.texts["family"] == "yes" {
		why.Owners, why.Children = h.subject.Family(kind, namespace, name)
	}
	return why, err
}
