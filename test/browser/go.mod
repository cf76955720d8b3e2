// The tests that look at the inspector's page with a browser. They are a module of their own so
// that what drives the browser never becomes what delta-runtime needs.
module github.com/delta-runtime/delta-runtime/test/browser

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/delta-runtime/delta-runtime v0.0.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/go-logr/logr v1.4.3 // indirect
	k8s.io/apimachinery v0.37.0 // indirect
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/utils v0.0.0-20260626114624-be93311217bd // indirect
)

replace github.com/delta-runtime/delta-runtime => ../..
