// Package telemetry tells what the process does: metrics for Prometheus, and
// traces over OpenTelemetry's protocol.
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

// buckets are those of durations, in seconds: from an answer out of memory to a
// document that is read at the last moment.
var buckets = []float64{0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60}

// Metrics are the process's metrics, under one prefix.
type Metrics struct {
	registry *prometheus.Registry
	prefix   string
	log      *slog.Logger
	told     []Description
}

// Description says what a metric tells.
type Description struct {
	Name, Help string
	Labels     []string
}

// Described lists the metrics that were added, in their order.
func (m *Metrics) Described() []Description { return m.told }

func (m *Metrics) describe(name, help string, labels []string) {
	m.told = append(m.told, Description{Name: prometheus.BuildFQName(m.prefix, "", name), Help: help, Labels: labels})
}

// NewMetrics returns metrics that hold those of the run-time and the process,
// and PREFIX_build_info with the version.
func NewMetrics(prefix, version string, log *slog.Logger) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), prefix: prefix, log: log}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: prefix, Name: "build_info", Help: "1; the version that runs."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	m.registry.MustRegister(build)
	return m
}

// Pool adds the state of a pool of connections, as go_sql_….
func (m *Metrics) Pool(db *sql.DB, name string) {
	m.registry.MustRegister(collectors.NewDBStatsCollector(db, name))
}

// Durations counts what ends and how long it took.
type Durations struct{ vec *prometheus.HistogramVec }

// Durations adds a histogram of seconds. Each label must have few values that
// no caller can choose.
func (m *Metrics) Durations(name, help string, labels ...string) Durations {
	vec := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: m.prefix, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(vec)
	m.describe(name, help, labels)
	return Durations{vec}
}

// Observe counts one, with the values of the labels in their order.
func (d Durations) Observe(took time.Duration, values ...string) {
	d.vec.WithLabelValues(values...).Observe(took.Seconds())
}

// Gauge is a number that is read whenever it is asked for.
type Gauge struct{ desc *prometheus.Desc }

// Gauges adds numbers that read finds out at each scrape.
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

// Handler answers a scrape. What can't be read is left out of it and logged.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: 4, Timeout: 10 * time.Second,
	})
}
