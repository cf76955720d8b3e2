package main

// state is a call of kubectl that fails while the cluster is not in that state.
type state []string

// oneCall is the timeout of a call. A call that has failed is made again.
const oneCall = "--timeout=5s"

// has is the state in which an object of the story has a value.
func has(object, path, value string) state {
	return state{"wait", object, "--namespace=demo", "--for=jsonpath={" + path + "}=" + value, oneCall}
}

// siteHas is the state in which a Site has the condition with that reason.
func siteHas(site, condition, reason string) state {
	return has("sites/"+site, `.status.conditions[?(@.type=="`+condition+`")].reason`, reason)
}

// blogHas requires this number of Pods of the current template, all of them ready, and no
// other Pods. The status of the Site has to say so, too, about the latest generation of its
// spec.
func blogHas(replicas string) []state {
	return []state{
		{"wait", "sites/blog", "--namespace=demo", "--for=condition=Ready", oneCall},
		has("sites/blog", ".status.readyReplicas", replicas),
		{"rollout", "status", "deployments/blog", "--namespace=demo", oneCall},
	}
}
