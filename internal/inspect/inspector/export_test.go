package inspector

import (
	"net/http"
	"reflect"
	"time"
)

// Route is what tests outside of the package see of a route.
type Route struct {
	Method, Path, Media string
	Params              []string
	Required            []string
	Body, Answer        reflect.Type
}

// AllRoutes are all that the handler answers.
func AllRoutes() (all []Route) {
	for _, r := range append(routes(), pageRoutes()...) {
		shown := Route{r.method, r.path, r.media, nil, nil, r.body, r.answer}
		for _, p := range r.params {
			shown.Params = append(shown.Params, p.name)
			if p.required {
				shown.Required = append(shown.Required, p.name)
			}
		}
		all = append(all, shown)
	}
	return all
}

// Pace is how patient a handler is.
type Pace struct{ Heartbeat, Write, Stream time.Duration }

// NewPaced is New with another patience.
func NewPaced(subject Subject, p Pace) http.Handler {
	return newHandler(subject, Options{}, pace{heartbeat: p.Heartbeat, write: p.Write, read: time.Second, stream: p.Stream})
}
