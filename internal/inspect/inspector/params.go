package inspector

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// Bounds of a query. A name in Kubernetes has 253 characters at most.
const (
	longestQuery = 8 << 10
	longestValue = 1 << 10
	mostItems    = 1000
	usualItems   = 100
)

// param is a query parameter that a route knows.
type param struct {
	name, about string
	form        form
	choices     []string // of a choice
	required    bool
}

// form is the form of a parameter's value.
type form uint8

const (
	text     form = iota + 1
	limit         // a number from 1 to mostItems
	choice        // one of a few words, in any case of letters
	position      // the ID of a delta, alone or behind the process that gave it
)

// query has the parameters of one call, checked.
type query struct {
	texts   map[string]string // those of the forms text and choice
	limit   int               // usualItems if it is not asked for
	since   place
	hasFrom bool // since was asked for
}

// place is a position in the deltas of a process.
type place struct {
	process string // empty if it is not said
	id      uint64
}

// parseQuery reads a query, and refuses what the route does not know. A misspelt parameter must
// not look like one that chooses everything.
func parseQuery(raw string, params []param) (query, error) {
	q := query{texts: map[string]string{}, limit: usualItems}
	if len(raw) > longestQuery {
		return q, refuse(http.StatusBadRequest, "the query has %d bytes, and %d are the most", len(raw), longestQuery)
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return q, refuse(http.StatusBadRequest, "the query can't be read: %v", err)
	}
	for name, all := range values {
		at := slices.IndexFunc(params, func(p param) bool { return p.name == name })
		switch {
		case at < 0:
			return q, refuse(http.StatusBadRequest, "there is no parameter %q; %s", clip(name), known(params))
		case len(all) > 1:
			return q, refuse(http.StatusBadRequest, "the parameter %s is there %d times", name, len(all))
		}
		if err := q.set(&params[at], all[0]); err != nil {
			return q, err
		}
	}
	for _, p := range params {
		if p.required && q.texts[p.name] == "" {
			return q, refuse(http.StatusBadRequest, "the parameter %s is missing: %s", p.name, p.about)
		}
	}
	return q, nil
}

// set puts one parameter in its place.
func (q *query) set(p *param, value string) error {
	wrong := func(want string) error {
		return refuse(http.StatusBadRequest, "the parameter %s is %q, and has to be %s", p.name, clip(value), want)
	}
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return wrong("text without control characters")
	}
	if len(value) > longestValue {
		return wrong("at most " + strconv.Itoa(longestValue) + " bytes long")
	}
	switch p.form {
	case text:
		q.texts[p.name] = value
	case choice:
		at := slices.IndexFunc(p.choices, func(c string) bool { return strings.EqualFold(c, value) })
		if at < 0 && value != "" {
			return wrong("one of " + strings.Join(p.choices, ", "))
		}
		if at >= 0 {
			q.texts[p.name] = p.choices[at]
		}
	case limit:
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > mostItems {
			return wrong("a number from 1 to " + strconv.Itoa(mostItems))
		}
		q.limit = n
	case position:
		at, ok := parsePlace(value)
		if !ok {
			return wrong("the ID of a delta")
		}
		q.since, q.hasFrom = at, true
	}
	return nil
}

// parsePlace reads what place.String writes, and a bare number.
func parsePlace(value string) (place, bool) {
	process, number, both := strings.Cut(value, ".")
	if !both {
		process, number = "", value
	}
	id, err := strconv.ParseUint(number, 10, 64)
	return place{process, id}, err == nil && (!both || process != "")
}

// String is how a reader gets a place and gives it back.
func (p place) String() string { return p.process + "." + strconv.FormatUint(p.id, 10) }

func known(params []param) string {
	if len(params) == 0 {
		return "there are none here"
	}
	names := make([]string, len(params))
	for i := range params {
		names[i] = params[i].name
	}
	return "there are " + strings.Join(names, ", ")
}

// clip shortens what a caller sent, so that an answer does not carry all of it back.
func clip(value string) string { return path.Cut(value, 80) }
