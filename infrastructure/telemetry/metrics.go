// Package telemetry reports what the process does: metrics for Prometheus, and traces
// with the OpenTelemetry protocol.
package telemetry

import (
	"database/sql"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// buckets are the duration buckets, in seconds. They range from a cached response to
// an extraction that runs until its timeout.
var buckets = []float64{0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// Metrics are the process's metrics, under one prefix.
type Metrics struct {
	registry     *prometheus.Registry
	prefix       string
	log          *slog.Logger
	descriptions []Description
}

// Description describes a metric.
type Description struct {
	Name, Help string
	Labels     []string
}

// Described lists the added metrics in order.
func (m *Metrics) Described() []Description { return m.descriptions }

func (m *Metrics) describe(name, help string, labels []string) {
	m.descriptions = append(m.descriptions, Description{Name: prometheus.BuildFQName(m.prefix, "", name), Help: help, Labels: labels})
}

// NewMetrics returns metrics of the Go runtime and the process, and PREFIX_build_info
// with the version.
func NewMetrics(prefix, version string, log *slog.Logger) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), prefix: prefix, log: log}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: prefix, Name: "build_info", Help: "Always 1; the label is the running version."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(build)
	return m
}

// Pool adds the state of a connection pool, as go_sql_….
func (m *Metrics) Pool(db *sql.DB, name string) {
	m.registry.MustRegister(collectors.NewDBStatsCollector(db, name))
}

// Durations counts operations and their durations.
type Durations struct{ vec *prometheus.HistogramVec }

// Durations adds a histogram in seconds. Each label must have few values that no
// caller can choose.
func (m *Metrics) Durations(name, help string, labels ...string) Durations {
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: m.prefix, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(vec)
	m.describe(name, help, labels)
	return Durations{vec}
}

// Observe records one operation, with the label values in order.
func (d Durations) Observe(took time.Duration, values ...string) {
	d.vec.WithLabelValues(values...).Observe(took.Seconds())
}

// Gauge is a number that is computed at each scrape.
type Gauge struct{ desc *prometheus.Desc }

// Gauges adds numbers that read computes at each scrape.
func (m *Metrics) Gauges(read func(set func(g Gauge, value float64, labels ...string)), gauges ...Gauge) {
	m.registry.MustRegister(&reader{read: read, gauges: gauges})
}

// Gauge describes a number for Gauges.
func (m *Metrics) Gauge(name, help string, labels ...string) Gauge {
	m.describe(name, help, labels)
	return Gauge{prometheus.NewDesc(prometheus.BuildFQName(m.prefix, "", name), help, labels, nil)}
}

type reader struct {
	read   func(set func(g Gauge, value float64, labels ...string))
	gauges []Gauge
}

// Describe implements prometheus.Collector.
func (r *reader) Describe(out chan<- *prometheus.Desc) {
	for _, g := range r.gauges {
		out <- g.desc
	}
}

// Collect implements prometheus.Collector.
func (r *reader) Collect(out chan<- prometheus.Metric) {
	r.read(func(g Gauge, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, value, labels...)
	})
}

// Handler serves a scrape. It omits and logs values that cannot be read.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
	})
}
