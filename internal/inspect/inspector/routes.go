package inspector

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// Prefix is where the handler has to be mounted.
const Prefix = "/delta/"

// api and actions are the paths below which there is data, and below which it is changed.
const (
	api     = Prefix + "v1/"
	actions = api + "actions/"
	assets  = Prefix + "assets/"
)

// route is one path that is answered. The handler, the OpenAPI document and the tests are all
// made from the list of routes, so that none of them can forget one.
type route struct {
	method, path string
	task         string // what the caller asks for; begins the message of a refusal
	params       []param
	body         reflect.Type // of a POST; nil for none
	answer       reflect.Type // nil if it is not JSON of v1
	media        string       // of the answer
	serve        func(h *handler, c *call) error
}

// get is a route that answers with an A.
func get[A any](name, task string, read func(*handler, *call) (A, error), params ...param) route {
	return route{
		method: http.MethodGet, path: api + name, task: task, params: params,
		answer: reflect.TypeFor[A](), media: mediaJSON,
		serve: func(h *handler, c *call) error {
			leave, err := h.admit(c)
			if err != nil {
				return err
			}
			defer leave()
			found, err := read(h, c)
			if err != nil {
				return err
			}
			return h.answer(c, &found)
		},
	}
}

// act is a route that takes a B and does something.
func act[B any](name, task string, do func(*handler, *call, B) (v1.Done, error)) route {
	return route{
		method: http.MethodPost, path: actions + name, task: task,
		body: reflect.TypeFor[B](), answer: reflect.TypeFor[v1.Done](), media: mediaJSON,
		serve: func(h *handler, c *call) error {
			var body B
			if err := c.read(&body); err != nil {
				return err
			}
			done, err := do(h, c, body)
			log := h.opts.Logger.WithValues("action", name, "body", path.Cut(fmt.Sprintf("%+v", body), 500), "from", c.r.RemoteAddr)
			if err != nil {
				log.Info("Somebody tried to act on the operator, and it was refused", "reason", err.Error())
				return err
			}
			log.Info("Somebody acted on the operator", "done", done.Message)
			return h.answer(c, &done)
		},
	}
}

// The parameters that several routes have.
var (
	byKind       = param{name: "kind", form: text, about: "a kind as kubectl has it, such as pods, po, Pod or deployments.apps, or its full name"}
	thisKind     = param{name: "kind", form: text, about: byKind.about, required: true}
	byNamespace  = param{name: "namespace", form: text, about: "a namespace; all if it is empty"}
	byName       = param{name: "name", form: text, about: "the name of an object"}
	byController = param{name: "controller", form: text, about: "the name of a controller"}
	howMany      = param{name: "limit", form: limit, about: "how many at most, from 1 to 1000; 100 if it is not said"}
	ofDeltas     = []param{
		byKind, byNamespace, byName,
		{name: "op", form: choice, choices: []string{"Added", "Updated", "Deleted", "Sync", "OutOfScope"}, about: "what happened to the object"},
		{name: "manager", form: text, about: "the field manager that wrote it"},
		{name: "since", form: position, about: "the ID of a delta, or a cursor: only those after it, the next ones if there are more than the limit"},
	}
)

// routes are those of the API. Those of the page are in page.go.
func routes() []route {
	return []route{
		get("now", "say how the operator is doing", (*handler).now, byController),
		get("kinds", "list the kinds", (*handler).kinds, byKind),
		get("memory", "estimate the memory of a kind", (*handler).memory, thisKind),
		get("deltas", "list the last deltas", (*handler).deltas, append([]param{howMany}, ofDeltas...)...),
		{
			method: http.MethodGet, path: api + "deltas/stream", task: "follow the deltas", params: ofDeltas,
			answer: reflect.TypeFor[v1.Delta](), media: mediaEvents, serve: (*handler).stream,
		},
		get("controllers", "list the controllers", (*handler).controllers),
		get("reconciles", "list the last calls of reconcilers", (*handler).reconciles,
			byController, byNamespace, byName, howMany,
			param{name: "result", form: choice, choices: []string{"success", "requeue", "error", "panic"}, about: "how the call ended"},
			param{name: "order", form: choice, choices: []string{"newest", "slowest"}, about: "which come first; newest if it is not said"}),
		get("loops", "list the requests that are called again and again", (*handler).loops),
		get("queues", "list the queues", (*handler).queues, byController, howMany),
		get("why", "say what is known of an object", (*handler).why, thisKind, byNamespace,
			param{name: "name", form: text, about: byName.about, required: true},
			param{name: "family", form: choice, choices: []string{"yes", "no"}, about: "whether its owners and what it owns are wanted; no if it is not said"}),
		{
			method: http.MethodGet, path: api + "openapi.json", task: "describe the API", media: mediaJSON,
			serve: func(_ *handler, c *call) error { return c.file(&document) },
		},
		act("resync", "resync a kind", (*handler).resync),
		act("relist", "list a kind again", (*handler).relist),
		act("policy", "change the resync policy of a kind", (*handler).policy),
		act("forget", "forget the failures of a request", onRequest(Subject.Forget)),
		act("cancel", "cancel the delay of a request", onRequest(Subject.Cancel)),
	}
}
