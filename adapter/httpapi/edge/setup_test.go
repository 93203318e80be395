package edge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/gen/backend"
	"docledger/gen/billing"
	"docledger/gen/integrations"
	"docledger/gen/webhooks"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

const (
	goodToken = "good"
	downToken = "keys-unreachable"
	thing     = "01936b1e-0000-7000-8000-000000000005"
)

// tokens knows two tokens: a good one, and one that cannot be judged now.
type tokens struct{}

func (tokens) Authenticate(_ context.Context, bearer string) (identity.Actor, error) {
	switch bearer {
	case goodToken:
		return identity.Actor{Type: identity.ActorUser, UserID: uuid.New(), OrganizationID: uuid.New(), Role: identity.RoleAdmin}, nil
	case downToken:
		return identity.Actor{}, fault.New(fault.Unavailable, fault.CodeUnavailable, "The keys cannot be fetched. Try again.")
	default:
		return identity.Actor{}, fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The token is not valid. Sign in again.")
	}
}

// logBuffer collects log lines and notifies the test of each.
type logBuffer struct {
	mu    sync.Mutex
	lines bytes.Buffer
	wrote chan struct{}
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.wrote <- struct{}{}:
	default:
	}
	return b.lines.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.String()
}

// answerFunc replaces the use cases: it responds to every operation.
type answerFunc func(ctx context.Context, operationID string, request any) (any, error)

type bundle struct {
	engine *gin.Engine
	server *httptest.Server
	log    *logBuffer
}

// setup serves the whole generated API; answer decides what handlers return.
func setup(t *testing.T, answer answerFunc, change ...func(*edge.Options)) *bundle {
	t.Helper()
	log := &logBuffer{wrote: make(chan struct{}, 1)}
	options := edge.Options{Authenticator: tokens{}, Logger: slog.New(slog.NewJSONHandler(log, nil))}
	for _, c := range change {
		c(&options)
	}
	engine, err := edge.NewEngine(options)
	if err != nil {
		t.Fatal(err)
	}
	stand := func(_ backend.StrictHandlerFunc, operationID string) backend.StrictHandlerFunc {
		return func(c *gin.Context, request any) (any, error) { return answer(c, operationID, request) }
	}
	handler := backend.NewStrictHandlerWithOptions(nil,
		[]backend.StrictMiddlewareFunc{stand, edge.NoNilIDs[backend.StrictHandlerFunc], edge.RefuseNil[backend.StrictHandlerFunc], edge.Detach[backend.StrictHandlerFunc]},
		backend.StrictGinServerOptions{
			RequestErrorHandlerFunc:  edge.RequestError,
			HandlerErrorFunc:         edge.HandlerError,
			ResponseErrorHandlerFunc: edge.ResponseError,
		})
	backend.RegisterHandlersWithOptions(engine, handler, backend.GinServerOptions{ErrorHandler: edge.ParameterError})
	registerBilling(engine, answer)
	registerIntegrations(engine, answer)
	webhooks.RegisterHandlers(engine, signed{})
	server := httptest.NewServer(edge.Handler(engine))
	t.Cleanup(server.Close)
	return &bundle{engine: engine, server: server, log: log}
}

func registerBilling(engine *gin.Engine, answer answerFunc) {
	stand := func(_ billing.StrictHandlerFunc, operationID string) billing.StrictHandlerFunc {
		return func(c *gin.Context, request any) (any, error) { return answer(c, operationID, request) }
	}
	handler := billing.NewStrictHandlerWithOptions(nil,
		[]billing.StrictMiddlewareFunc{stand, edge.NoNilIDs[billing.StrictHandlerFunc], edge.RefuseNil[billing.StrictHandlerFunc], edge.Detach[billing.StrictHandlerFunc]},
		billing.StrictGinServerOptions{
			RequestErrorHandlerFunc:  edge.RequestError,
			HandlerErrorFunc:         edge.HandlerError,
			ResponseErrorHandlerFunc: edge.ResponseError,
		})
	billing.RegisterHandlersWithOptions(engine, handler, billing.GinServerOptions{ErrorHandler: edge.ParameterError})
}

func registerIntegrations(engine *gin.Engine, answer answerFunc) {
	stand := func(_ integrations.StrictHandlerFunc, operationID string) integrations.StrictHandlerFunc {
		return func(c *gin.Context, request any) (any, error) { return answer(c, operationID, request) }
	}
	handler := integrations.NewStrictHandlerWithOptions(nil,
		[]integrations.StrictMiddlewareFunc{stand, edge.NoNilIDs[integrations.StrictHandlerFunc], edge.RefuseNil[integrations.StrictHandlerFunc], edge.Detach[integrations.StrictHandlerFunc]},
		integrations.StrictGinServerOptions{
			RequestErrorHandlerFunc:  edge.RequestError,
			HandlerErrorFunc:         edge.HandlerError,
			ResponseErrorHandlerFunc: edge.ResponseError,
		})
	integrations.RegisterHandlersWithOptions(engine, handler, integrations.GinServerOptions{ErrorHandler: edge.ParameterError})
}

// signed answers what its signed operations were sent, byte by byte.
type signed struct{}

func (signed) ReceivePaymentEvent(c *gin.Context, _ webhooks.ReceivePaymentEventParams) {
	body, err := io.ReadAll(c.Request.Body)
	if err != nil {
		edge.WriteError(c, err)
		return
	}
	c.Data(http.StatusOK, "text/plain", body)
}

func (s signed) ReceiveEmail(c *gin.Context, _ webhooks.ReceiveEmailParams) {
	s.ReceivePaymentEvent(c, webhooks.ReceivePaymentEventParams{})
}

func (s signed) ReceiveIdentityEvent(c *gin.Context, _ webhooks.ReceiveIdentityEventParams) {
	s.ReceivePaymentEvent(c, webhooks.ReceivePaymentEventParams{})
}

func (s signed) ReceiveStorageNotification(c *gin.Context, _ string, _ webhooks.ReceiveStorageNotificationParams) {
	s.ReceivePaymentEvent(c, webhooks.ReceivePaymentEventParams{})
}

func missing(context.Context, string, any) (any, error) { return nil, fault.Missing("thing") }

// reply is a response with its envelope, if it is one.
type reply struct {
	*http.Response
	body     []byte
	envelope struct {
		Error struct {
			Code    string         `json:"code"`
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
}

func (r *reply) fields() string {
	text, _ := json.Marshal(r.envelope.Error.Details["fields"])
	return string(text)
}

func (b *bundle) send(t *testing.T, req *http.Request) *reply {
	t.Helper()
	resp, err := b.server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r := &reply{Response: resp}
	if r.body, err = io.ReadAll(resp.Body); err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(r.body, &r.envelope)
	return r
}

// request makes a signed-in request; headers are pairs, and an empty value
// takes one away.
func (b *bundle) request(t *testing.T, method, path, body string, headers ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+goodToken)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}
