package wireserver

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// list answers with the objects, or with one page of them.
func (s *Server) list(w http.ResponseWriter, q question) error {
	items, about, err := s.page(q)
	if err != nil {
		return err
	}
	writing, err := s.writing(q.format, about, items)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", q.format.contentType())
	if s.compresses && q.gzip && size(q.format, items) > large {
		squeezed := compressing(w)
		defer squeezed.Close() //nolint:errcheck // as below
		_ = writing.write(squeezed, q.format, items)
		return nil
	}
	_ = writing.write(w, q.format, items) // if the client is gone, nobody can be told
	return nil
}

// compressing compresses an answer as an API server does.
func compressing(w http.ResponseWriter) *gzip.Writer {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Vary", "Accept-Encoding")
	squeezed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return squeezed
}

// large is how long an answer is that an API server compresses.
const large = 128 << 10

func size(format Format, items []image) (sum int) {
	for _, item := range items {
		sum += len(item[format])
	}
	return sum
}

// write writes a list.
func (l *writing) write(w io.Writer, format Format, items []image) error {
	if _, err := w.Write(l.head); err != nil {
		return err
	}
	var text []byte
	for i, item := range items {
		object := item[format]
		if l.before != nil {
			if _, err := w.Write(l.before(object)); err != nil {
				return err
			}
		}
		text = text[:0]
		if l.skip > 0 {
			text = append(text, '{')
		}
		text = append(text, object[l.skip:]...)
		if i < len(items)-1 {
			text = append(text, l.between...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	_, err := w.Write(l.tail)
	return err
}

// writing returns how to write a list.
func (s *Server) writing(format Format, about metav1.ListMeta, items []image) (writing, error) {
	switch {
	case format == Protobuf:
		return s.binaryList(about, items)
	case s.custom():
		return s.customList(about)
	default:
		return s.typedList(about)
	}
}

// page is what a list has. The objects are a copy, so that they may change meanwhile.
func (s *Server) page(q question) ([]image, metav1.ListMeta, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	about := metav1.ListMeta{ResourceVersion: s.versionAt(s.released)}
	first := 0
	if q.next != "" {
		var released int
		if _, err := fmt.Sscanf(q.next, "%d-%d", &released, &first); err != nil {
			return nil, about, apierrors.NewBadRequest("continue: " + err.Error())
		}
		if released != s.released {
			return nil, about, apierrors.NewResourceExpired("The provided continue parameter is too old")
		}
	}
	rest := s.objects[min(first, len(s.objects)):]
	if q.limit > 0 && q.version != "0" && q.limit < len(rest) {
		left := int64(len(rest) - q.limit)
		about.Continue, about.RemainingItemCount = fmt.Sprintf("%d-%d", s.released, first+q.limit), &left
		rest = rest[:q.limit]
	}
	return slices.Clone(rest), about, nil
}
