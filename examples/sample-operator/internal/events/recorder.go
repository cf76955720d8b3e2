package events

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/tools/record/util"
	"k8s.io/client-go/tools/reference"
	"k8s.io/klog/v2"
)

// recorder makes Events and queues them.
type recorder struct {
	broadcaster *Broadcaster
	scheme      *runtime.Scheme
	source      corev1.EventSource
}

var _ record.EventRecorderLogger = &recorder{}

// Event records an Event.
func (r *recorder) Event(object runtime.Object, eventType, reason, message string) {
	r.AnnotatedEventf(object, nil, eventType, reason, "%s", message)
}

// Eventf records an Event with a formatted message.
func (r *recorder) Eventf(object runtime.Object, eventType, reason, format string, args ...any) { //nolint:revive // client-go says which parameters
	r.AnnotatedEventf(object, nil, eventType, reason, format, args...)
}

// AnnotatedEventf records an Event with annotations.
func (r *recorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, eventType, reason, format string, args ...any) { //nolint:revive // client-go says which parameters
	event := &corev1.Event{
		ObjectMeta:          metav1.ObjectMeta{Annotations: annotations},
		Reason:              reason,
		Message:             fmt.Sprintf(format, args...),
		Type:                eventType,
		Count:               1,
		Source:              r.source,
		ReportingController: r.source.Component,
		ReportingInstance:   r.source.Host,
	}
	about, err := reference.GetReference(r.scheme, object)
	if err == nil && !util.ValidateEventType(eventType) {
		err = fmt.Errorf("there is no type %s of Events", eventType)
	}
	if err != nil {
		r.broadcaster.drop(event, malformed, err)
		return
	}
	now := time.Now()
	event.InvolvedObject = *about
	event.FirstTimestamp, event.LastTimestamp = metav1.NewTime(now), metav1.NewTime(now)
	event.Name = util.GenerateEventName(about.Name, r.broadcaster.nano(now))
	event.Namespace = about.Namespace
	if event.Namespace == "" {
		event.Namespace = metav1.NamespaceDefault // of what has none
	}
	r.broadcaster.enqueue(event)
}

// WithLogger returns the recorder unchanged, because the broadcaster does the logging.
func (r *recorder) WithLogger(klog.Logger) record.EventRecorderLogger { return r }

// nano returns the time, and never the same time twice, because names of Events contain it.
func (b *Broadcaster) nano(now time.Time) int64 {
	for {
		last := b.lastNano.Load()
		next := max(now.UnixNano(), last+1)
		if b.lastNano.CompareAndSwap(last, next) {
			return next
		}
	}
}
