package canary

import (
	"net/url"
	"strings"
	"testing"
)

// knowledge is what there is to ask about.
type knowledge struct {
	namespace   string
	kinds       []string // the names that the inspector has for them
	secrets     []string // the names of Secrets
	controllers []string
}

// values are those that make sense for a parameter.
func (k *knowledge) values(t *testing.T, p parameter) []string {
	t.Helper()
	switch p.Name {
	case "kind":
		return append([]string{"secret"}, k.kinds...)
	case "name":
		return k.secrets
	case "namespace":
		return []string{k.namespace}
	case "controller":
		return k.controllers
	case "manager":
		return []string{"alice", "bob"}
	case "limit":
		return []string{"1", "1000"}
	case "since":
		return []string{"0"}
	}
	if p.Schema.Enum == nil {
		t.Errorf("nobody has said what the parameter %s can be", p.Name)
	}
	return p.Schema.Enum
}

// queries have each value of each parameter alone, and all parameters at once. Those that a query
// needs are in all of them, with all of their values.
func (k *knowledge) queries(t *testing.T, params []parameter) (all []string) {
	t.Helper()
	needed := []url.Values{{}}
	for _, p := range params {
		if !p.Required {
			continue
		}
		var more []url.Values
		for _, q := range needed {
			for _, value := range k.values(t, p) {
				more = append(more, with(q, p.Name, value))
			}
		}
		needed = more
	}
	for _, q := range needed {
		all = append(all, q.Encode())
		together := q
		for _, p := range params {
			if p.Required {
				continue
			}
			values := k.values(t, p)
			for _, value := range values {
				all = append(all, with(q, p.Name, value).Encode())
			}
			together = with(together, p.Name, values[0])
		}
		all = append(all, together.Encode())
	}
	return all
}

func with(q url.Values, name, value string) url.Values {
	more := url.Values{}
	for name, values := range q {
		more[name] = values
	}
	more.Set(name, value)
	return more
}

// shown is what an output has to have in it, if it is not the name of a Secret. The longest beginning
// of its name counts.
var shown = map[string][]string{
	"GET /delta/v1/kinds":                     {"v1 Secret", "v1 Secret (metadata)", "vault.example.com/v1 Secret", "ended with"},
	"GET /delta/v1/memory":                    {"sampled", "data"},
	"GET /delta/v1/controllers":               {"owners"},
	"GET /delta/v1/openapi.json":              {"deltas/stream"},
	"GET /delta/v1/loops":                     {"sealed-contested", "sealed-custom", "sealed-selfish", "data[password]"},
	"GET /delta/v1/deltas":                    {"sealed-life", "sealed-applied", "sealed-managed", `"hidden":true`},
	"GET /delta/v1/deltas/stream":             {"sealed-life", `"hidden":true`},
	"GET /delta/v1/why":                       {"sealed-life", `"hidden":true`},
	"GET /delta/v1/queues":                    {"sealed-failing"},
	"POST /delta/v1/actions/":                 {"Secret"},
	"POST /delta/v1/actions/cancel":           {"sealed-"},
	"POST /delta/v1/actions/forget":           {"sealed-"},
	"the page":                                {"<html", "import"},
	"metrics as":                              {"delta_hot_loops_found_total", "objects"},
	"health":                                  {"cache"},
	"Events":                                  {"sealed-contested", "sealed-custom", "HotLoop"},
	"Status":                                  {"Secret", "is missing in what the server sent"},
	"Healthz":                                 {"Secret", "ended with"},
	"the log":                                 {"sealed-life", "(hidden)", "to no end", "Reconciled", "stumbles", "Left out", "is missing in", "sealed-custom"},
	"what is printed of a":                    {"%!"},
	"what is printed of a *diff":              {"(hidden)"},
	"what is printed of a diff":               {"(hidden)"},
	"what is printed of a delta":              {"sealed-life"},
	"what is printed of a *delta":             {"sealed-life"},
	"what is printed of a *delta.ResyncTerms": {"OnDemand"},
	"what is printed of a delta.S":            {"roll out"},
	"kubectl delta status":                    {"v1 Secret"},
	"kubectl delta memory":                    {"Secret"},
	"kubectl delta policies":                  {"Secret"},
	"kubectl delta resync":                    {"Secret"},
	"kubectl delta relist":                    {"Secret"},
	"kubectl delta page":                      {"<html", "sealed-"},
	"kubectl delta help":                      {"why"},
	"kubectl delta completion":                {"kubectl-delta"},
}

// shows is what an output has to have in it: else it was not there to be hunted through.
func shows(output string) []string {
	longest := ""
	for name := range shown {
		if strings.HasPrefix(output, name) && len(name) > len(longest) {
			longest = name
		}
	}
	if longest == "" {
		return []string{"sealed-"}
	}
	return shown[longest]
}
