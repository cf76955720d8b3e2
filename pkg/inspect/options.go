package inspect

// Options configure an inspector. The zero value serves it beside the metrics.
type Options struct {
	// BindAddress is localhost, 127.0.0.1 or [::1] with a port, such as "127.0.0.1:8082". The inspector
	// listens there without TLS and without authentication, so everybody who can reach the address
	// can look. In a Pod that is everybody who may port-forward to it. Empty serves the inspector
	// beside the metrics, behind their filter.
	BindAddress string
	// AllowActions has an inspector also do things: resync, relist, change policies, forget failures,
	// cancel timers. Beside the metrics it takes the right to do them as well: the verb post for
	// the non-resource URL /delta/v1/actions/*.
	AllowActions bool
	// Deltas and Reconciles are how many of each the journal remembers, for each kind and for each
	// controller. Zero means 512. Of what only a resync shows again it remembers an eighth of that beside.
	Deltas, Reconciles int
	// Bytes bounds what the journal keeps alive, all together. Zero means 32 MiB. It is measured once
	// a second.
	Bytes int64
}
