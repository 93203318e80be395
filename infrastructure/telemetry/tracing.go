package telemetry

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracing makes spans. A nil one makes none and costs nothing.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// The header of a request, and the key under which a job keeps it, that names
// the span which caused it (W3C Trace Context).
const traceparent = "traceparent"

var wire = propagation.TraceContext{}

// NewTracing sends spans to a collector over OTLP and HTTP. Everything but the
// endpoint, which must be set, comes from OpenTelemetry's own variables, as
// OTEL_EXPORTER_OTLP_HEADERS or OTEL_TRACES_SAMPLER.
func NewTracing(ctx context.Context, service, version, endpoint string) (*Tracing, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	return TracingTo(service, version, sdktrace.WithBatcher(exporter)), nil
}

// TracingTo is NewTracing with spans of where processor says.
func TracingTo(service, version string, processor sdktrace.TracerProviderOption) *Tracing {
	attributes := resource.NewSchemaless(attribute.String("service.name", service), attribute.String("service.version", version))
	p := sdktrace.NewTracerProvider(processor, sdktrace.WithResource(attributes))
	return &Tracing{provider: p, tracer: p.Tracer(service)}
}

// Close sends what has not been sent.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// End ends a span, as a failure where err is not nil. Its text is not sent: it
// may hold what nobody but the log is told.
type End func(err error, attributes ...string)

// Start begins a span within that of ctx. Attributes are pairs of name and
// value; they are words of ours and ids.
func (t *Tracing) Start(ctx context.Context, name string, attributes ...string) (context.Context, End) {
	return t.start(ctx, name, trace.SpanKindInternal, attributes)
}

// Call is Start for a request to another system.
func (t *Tracing) Call(ctx context.Context, name string, attributes ...string) (context.Context, End) {
	return t.start(ctx, name, trace.SpanKindClient, attributes)
}

func (t *Tracing) start(ctx context.Context, name string, kind trace.SpanKind, attributes []string) (context.Context, End) {
	if t == nil {
		return ctx, func(error, ...string) {}
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(pairs(attributes)...))
	return ctx, func(err error, attributes ...string) {
		span.SetAttributes(pairs(attributes)...)
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

func pairs(attributes []string) []attribute.KeyValue {
	var out []attribute.KeyValue
	for i := 0; i+1 < len(attributes); i += 2 {
		out = append(out, attribute.String(attributes[i], attributes[i+1]))
	}
	return out
}

// Describe names the span of ctx and adds to it.
func Describe(ctx context.Context, name string, failed bool, attributes ...string) {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetName(name)
	span.SetAttributes(pairs(attributes)...)
	if failed {
		span.SetStatus(codes.Error, "")
	}
}

// Carried is what resumes the trace of ctx elsewhere; "" where there is none.
func Carried(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	wire.Inject(ctx, carrier)
	return carrier[traceparent]
}

// Resume begins a span of a trace that was carried here; what is no such trace
// begins a new one.
func (t *Tracing) Resume(ctx context.Context, carried, name string, attributes ...string) (context.Context, End) {
	if t == nil {
		return ctx, func(error, ...string) {}
	}
	ctx = wire.Extract(ctx, propagation.MapCarrier{traceparent: carried})
	return t.start(ctx, name, trace.SpanKindConsumer, attributes)
}

// Handler begins a span for each request, within that of the header traceparent.
// Its name is that of the method until next describes it, since a path holds
// what callers write.
func (t *Tracing) Handler(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := wire.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, methodOf(r), trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "OTHER"
}

// Transport begins a span for each request and tells the other side of it. It
// is for systems of our own alone.
func (t *Tracing) Transport(base http.RoundTripper, name string) http.RoundTripper {
	if t == nil {
		return base
	}
	return &transport{t, base, name}
}

type transport struct {
	t    *Tracing
	base http.RoundTripper
	name string
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, end := t.t.Call(r.Context(), t.name)
	r = r.Clone(ctx)
	wire.Inject(ctx, propagation.HeaderCarrier(r.Header))
	resp, err := t.base.RoundTrip(r)
	end(err)
	return resp, err
}
