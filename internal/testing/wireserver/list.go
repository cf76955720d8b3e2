package wireserver

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// portion is how much of a list is written at once.
const portion = 32 << 10

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
	out := bufio.NewWriterSize(w, portion)
	write := func(bytes []byte) { _, _ = out.Write(bytes) } // the writer keeps the first error
	write(writing.head)
	for i, item := range items {
		before, rest := writing.item(i, item[q.format])
		write(before)
		write(rest)
	}
	write(writing.tail)
	_ = out.Flush() // the client is gone, and so nobody can be told
	return nil
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
