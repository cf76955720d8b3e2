// Package prometheus checks what config/ has for those who look at an operator: the alert rules,
// and the dashboard. It also checks that an outage is seen there and on the inspector's page. It has only tests.
// They have the build tag observability, because they take programs that Go does not build:
// prometheus, promtool and chromium.
//
//	config/prometheus/rules.yaml ──promtool──▶ do they fire on the series in testdata, and on no others?
//	           │
//	           ▼ bounds of seconds
//	       prometheus ──scrape, each second──▶ sample operator ──watch──▶ API server, which is killed
//	        ▲                                        ▲
//	        │                                        │ which kinds are disconnected, and since when?
//	        │                                       the page in chromium
//	        │ does each query find something?
//	config/grafana/delta-runtime.json
//
// # Concurrency
//
// None in the tests. Each starts its own programs, which end with it.
//
// # Testing
//
// A test of the rules also plays series on which nothing may fire.
package prometheus
