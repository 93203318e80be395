// Package httpapi serves the backend API. Handlers decode the request, call one
// use case and convert its result. Package edge contains what all requests
// share.
package httpapi

import (
	"context"
	"log/slog"
	"math"

	"docledger/adapter/httpapi/convert"
	"docledger/adapter/httpapi/edge"
	"docledger/domain/event"
	"docledger/domain/idempotency"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/organization"
	"docledger/domain/page"
	"docledger/gen/backend"
	billingapi "docledger/gen/billing"
	integrationsapi "docledger/gen/integrations"
	"docledger/usecase"
	"docledger/usecase/apikeys"
	"docledger/usecase/attention"
	"docledger/usecase/billing"
	"docledger/usecase/deletion"
	"docledger/usecase/documents"
	"docledger/usecase/emails"
	"docledger/usecase/entities"
	"docledger/usecase/extraction"
	"docledger/usecase/integrations"
	"docledger/usecase/invoices"
	"docledger/usecase/links"
	"docledger/usecase/moves"
	"docledger/usecase/session"
	"docledger/usecase/settings"
	"docledger/usecase/suppliers"
	"docledger/usecase/sync"
	"docledger/usecase/webhooks"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// UseCases are the use cases that the handlers call.
type UseCases struct {
	Session      *session.Service
	Entities     *entities.Service
	Documents    *documents.Service
	Deletion     *deletion.Service
	Moves        *moves.Service
	Extraction   *extraction.Service
	Invoices     *invoices.Service
	Sums         invoice.Sums
	Exports      invoice.Exporter
	Attention    *attention.Service
	Links        *links.Service
	Reports      Reports
	Sync         *sync.Service
	Settings     *settings.Service
	Emails       *emails.Service
	Events       event.Log
	APIKeys      *apikeys.Service
	Webhooks     *webhooks.Service
	Suppliers    *suppliers.Service
	Integrations *integrations.Service
	Billing      *billing.Reader
	Shop         *billing.Checkout // nil without a payment processor
}

// Reports returns the report on the documents of an organization that arrived in
// the last days.
type Reports interface {
	Report(ctx context.Context, organizationID uuid.UUID, days int) (*organization.Organization, *organization.Report, error)
}

// Server implements the operations of the backend and billing specifications.
type Server struct {
	UseCases
	exportSlots    exportSlots
	Idempotency    idempotency.Store
	Clock          usecase.Clock
	Web            convert.Web
	BaseURL        string // the URL of the API, without a trailing slash
	PagesURL       string // the URL of the web application, without a trailing slash
	Responses      *responseCache
	Log            *slog.Logger
	Consents       Consents
	LoopbackSetup  bool // a caller on this machine needs no setup code
	MaxUploadBytes int64
	TempDir        string
}

var (
	_ backend.StrictServerInterface         = (*Server)(nil)
	_ billingapi.StrictServerInterface      = (*Server)(nil)
	_ integrationsapi.StrictServerInterface = (*Server)(nil)
)

// actor returns the caller. The edge guarantees a caller on every operation
// that requires one.
func actor(ctx context.Context) identity.Actor {
	a, _ := edge.ActorFrom(ctx)
	return a
}

func pageOf(limit *int, after *string) page.Request {
	var p page.Request
	if limit != nil {
		p.Limit = *limit
	}
	if after != nil {
		p.After = *after
	}
	return p
}

// ifMatch returns the version of an If-Match header. An unknown tag matches no
// version.
func ifMatch(header *string) (int, error) {
	v, err := edge.IfMatchVersion(header)
	if v < 0 {
		v = math.MaxInt32
	}
	return v, err
}

// clientAddress returns the network address for the count of sign-in attempts.
func clientAddress(ctx context.Context) string {
	if c, ok := ctx.(*gin.Context); ok {
		return c.ClientIP()
	}
	return ""
}
