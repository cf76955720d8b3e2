package reflector

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
)

// thingOf reads name@version.
func thingOf(s string) faulty.Thing {
	name, version, _ := strings.Cut(s, "@")
	return faulty.Thing{Name: name, Version: version}
}

// describe is a request in a scenario's words. Timeouts are random and left out.
func describe(verb string, opts metav1.ListOptions) string {
	if opts.SendInitialEvents != nil {
		verb += fmt.Sprintf(" initial=%v", *opts.SendInitialEvents)
	}
	if opts.ResourceVersionMatch != "" {
		verb += fmt.Sprintf(" match=%s", opts.ResourceVersionMatch)
	}
	verb += " version=" + opts.ResourceVersion
	if opts.Limit != 0 {
		verb += fmt.Sprintf(" limit=%d", opts.Limit)
	}
	if opts.Continue != "" {
		verb += " continue=" + opts.Continue
	}
	return verb
}
