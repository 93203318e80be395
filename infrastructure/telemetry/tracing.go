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

// Tracing creates spans. A nil Tracing creates none and costs nothing.
type Tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// traceparent is the header of a request, and the key in a job, with the parent span
// (W3C Trace Context).
const traceparent = "traceparent"

var wire = propagation.TraceContext{}

// NewTracing sends spans to a collector over OTLP and HTTP. The endpoint is required.
// All other settings come from the standard variables of OpenTelemetry, such as
// OTEL_EXPORTER_OTLP_HEADERS or OTEL_TRACES_SAMPLER.
func NewTracing(ctx context.Context, service, version, endpoint string) (*Tracing, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("send traces: %w", err)
	}
	return TracingTo(service, version, sdktrace.WithBatcher(exporter)), nil
}

// TracingTo is NewTracing with a given span processor.
func TracingTo(service, version string, processor sdktrace.TracerProviderOption) *Tracing {
	attributes := resource.NewSchemaless(attribute.String("service.name", service), attribute.String("service.version", version))
	p := sdktrace.NewTracerProvider(processor, sdktrace.WithResource(attributes))
	return &Tracing{provider: p, tracer: p.Tracer(service)}
}

// Close sends the remaining spans.
func (t *Tracing) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// End ends a span, as a failure if err is not nil. It does not send the error text,
// because only the log may contain it.
type End func(err error, attributes ...string)

// Start starts a span within the span of ctx. Attributes are pairs of name and value.
// They contain only fixed words and ids.
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

// Describe sets the name of the span of ctx and adds attributes.
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

// Carried returns the trace context of ctx for another process; "" for none.
func Carried(ctx context.Context) string {
	carrier := propagation.MapCarrier{}
	wire.Inject(ctx, carrier)
	return carrier[traceparent]
}

// Resume starts a span of a trace that came from another process. An invalid value
// starts a new trace.
func (t *Tracing) Resume(ctx context.Context, carried, name string, attributes ...string) (context.Context, End) {
	if t == nil {
		return ctx, func(error, ...string) {}
	}
	ctx = wire.Extract(ctx, propagation.MapCarrier{traceparent: carried})
	return t.start(ctx, name, trace.SpanKindConsumer, attributes)
}

// Handler starts a span for each request, within the trace of the header traceparent.
// The span is named after the method until next describes it, because a path contains
// text of callers.
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

// Transport starts a span for each request and sends the trace context. Use it only
// for docledger's own systems.
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
