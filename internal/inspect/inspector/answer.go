package inspector

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const (
	mediaJSON   = "application/json"
	mediaEvents = "text/event-stream"
)

// longestBody is more than any action takes.
const longestBody = 64 << 10

// policy is what a browser may do with the page: run its own files, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// secure sets the headers that all answers have, refusals too.
func secure(header http.Header) {
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
}

// call is one request that is being answered.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	pace  pace
	task  string // see route; the method and the path while there is none
	query query
}

// read reads the body of an action.
func (c *call) read(body any) error {
	if media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || media != mediaJSON {
		return refuse(http.StatusUnsupportedMediaType, "the Content-Type is %q, and has to be %s", clip(c.r.Header.Get("Content-Type")), mediaJSON)
	}
	// A server may have no time limit for bodies. Not every writer can set one, such as that of a test.
	_ = http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(c.pace.read))
	decoder := json.NewDecoder(http.MaxBytesReader(c.w, c.r.Body, longestBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(body)
	if err == nil {
		if _, err = decoder.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = cmp.Or(err, errors.New("there is something after the object"))
	}
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return refuse(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", long.Limit)
	}
	return refuse(http.StatusBadRequest, "the body can't be read: %v", err)
}

// answer sends a form of v1.
func (h *handler) answer(c *call, of any) error {
	fillLists(reflect.ValueOf(of).Elem())
	content, err := json.Marshal(of)
	if err == nil && len(content) > LongestAnswer {
		err = fmt.Errorf("it has %d bytes, and %d are the most", len(content), LongestAnswer)
	}
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	c.send(http.StatusOK, content)
	return nil
}

// longestWhy is how much is sent of why there is no answer. It may be the text of a server's.
const longestWhy = 8 << 10

// problem sends a refusal.
func (c *call) problem(status int, why string) {
	content, err := json.Marshal(v1.Problem{Status: status, Message: c.task + ": " + path.Cut(why, longestWhy)})
	if err != nil {
		panic("BUG: a Problem is not JSON: " + err.Error())
	}
	c.send(status, content)
}

// send sends JSON. It is encoded before, so that an error can still become a status.
func (c *call) send(status int, content []byte) {
	c.w.Header().Set("Content-Type", mediaJSON)
	c.w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	c.write(status, content)
}

// write sends an answer.
func (c *call) write(status int, content []byte) {
	c.inTime(func() {
		c.w.WriteHeader(status)
		if c.r.Method != http.MethodHead {
			_, _ = c.w.Write(content) // if that fails, the reader is gone
		}
	})
}

// inTime sends an answer within a time limit, so that a reader that does not read does not hold the
// answer for ever. The limit belongs to the connection, which may serve others later, so it is
// taken away again.
func (c *call) inTime(send func()) {
	control := http.NewResponseController(c.w)
	_ = control.SetWriteDeadline(time.Now().Add(c.pace.write)) // not every writer can
	send()
	if control.Flush() == nil {
		_ = control.SetWriteDeadline(time.Time{})
	}
}

// fillLists makes lists and maps that are nil empty ones, if they are always shown. A reader of JSON
// can then go through them without a look.
func fillLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillLists(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	case reflect.Struct:
		for field, part := range v.Fields() {
			always := !strings.Contains(field.Tag.Get("json"), ",omit")
			switch kind := part.Kind(); {
			case !part.CanSet(): // such as those of a time
			case kind == reflect.Slice && part.IsNil() && always:
				part.Set(reflect.MakeSlice(part.Type(), 0, 0))
			case kind == reflect.Map && part.IsNil() && always:
				part.Set(reflect.MakeMap(part.Type()))
			default:
				fillLists(part)
			}
		}
	default: // has no lists in it
	}
}

// file sends one of the page's files. Browsers may keep it, and ask whether it is still the same.
func (c *call) file(f *file) error {
	header := c.w.Header()
	header.Set("Cache-Control", "no-cache")
	header.Set("ETag", f.tag)
	header.Set("Content-Type", f.media)
	c.inTime(func() { http.ServeContent(c.w, c.r, "", time.Time{}, bytes.NewReader(f.content)) })
	return nil
}
