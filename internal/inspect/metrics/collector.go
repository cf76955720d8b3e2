package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
)

// collector answers a scrape.
type collector struct {
	descs       map[*family]*prometheus.Desc
	caches      func() []observe.Cache
	controllers func() []*observe.Controller
	kind        func(samples, *observe.Kind)
}

var _ prometheus.Collector = (*collector)(nil)

// newCollector returns a collector of our own families.
func newCollector() *collector { return collectorOf(families...) }

// caches returns all that run in this process.
func caches() (all []observe.Cache) {
	for _, of := range managed.Live() {
		if c := of.Cache(); c != nil {
			all = append(all, c)
		}
	}
	return all
}

// controllers returns all that run in this process.
func controllers() (all []*observe.Controller) {
	for _, of := range managed.Live() {
		all = append(all, of.Controllers()...)
	}
	return all
}

// newClientGo returns a collector of one of client-go's families.
func newClientGo(f *family) *collector {
	c := collectorOf(f)
	c.kind = samples.clientGos
	c.controllers = func() []*observe.Controller { return nil }
	return c
}

func collectorOf(all ...*family) *collector {
	c := &collector{descs: map[*family]*prometheus.Desc{}, caches: caches, controllers: controllers, kind: samples.kind}
	for _, f := range all {
		c.descs[f] = prometheus.NewDesc(f.name, f.help, f.labels, nil)
	}
	return c
}

// Describe is the registry's.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect is the registry's.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	for _, one := range c.scrape() {
		if desc := c.descs[one.of]; desc != nil {
			out <- one.metric(desc)
		}
	}
}

// scrape reads all series.
func (c *collector) scrape() samples {
	s := samples{}
	for _, one := range c.caches() {
		for _, k := range one.Kinds() {
			c.kind(s, &k)
		}
	}
	for _, one := range c.controllers() {
		s.controller(one)
	}
	return s
}

// samples are what a scrape has found so far.
type samples map[sampleKey]*sample

// sampleKey names a series. No label has a byte 0xff, which is not valid in UTF-8.
type sampleKey struct {
	of     *family
	labels string
}

// sample is one series.
type sample struct {
	of      *family
	labels  []string
	value   float64
	reading reflector.Reading // of a histogram
}

// at returns the series, and whether it is new.
func (s samples) at(f *family, labels []string) (_ *sample, isNew bool) {
	for i, text := range labels {
		labels[i] = strings.ToValidUTF8(text, "\uFFFD")
	}
	key := sampleKey{f, strings.Join(labels, "\xff")}
	if there := s[key]; there != nil {
		return there, false
	}
	s[key] = &sample{of: f, labels: labels}
	return s[key], true
}

// set adds a number to a series.
func (s samples) set(f *family, value float64, labels ...string) {
	one, isNew := s.at(f, labels)
	switch {
	case isNew:
		one.value = value
	case f.join == smallest:
		one.value = min(one.value, value)
	case f.join == largest:
		one.value = max(one.value, value)
	default:
		one.value += value
	}
}

// read adds a histogram to a series.
func (s samples) read(f *family, r reflector.Reading, labels ...string) {
	one, _ := s.at(f, labels)
	one.reading.Add(&r)
}

func (s *sample) metric(desc *prometheus.Desc) prometheus.Metric {
	f := s.of
	if f.buckets == nil {
		return prometheus.MustNewConstMetric(desc, f.kind, s.value, s.labels...)
	}
	buckets := make(map[float64]uint64, len(f.buckets))
	below, next := uint64(0), 0
	for _, bound := range f.buckets {
		for ; reflector.UpperBound(next) <= bound; next++ {
			below += s.reading.Counts[next]
		}
		buckets[bound.Seconds()] = below
	}
	return prometheus.MustNewConstHistogram(desc, s.reading.Count(), float64(s.reading.Sum)/float64(time.Second), buckets, s.labels...)
}
