// Package webhook receives the webhooks of other systems (interface 4.4 and
// section 6). It is independent of vendors: the adapter of each sender verifies
// the request and parses the event.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/inbox"
	"docledger/gen/webhooks"
	"docledger/usecase"
	usecaseinbox "docledger/usecase/inbox"

	"github.com/gin-gonic/gin"
)

// DefaultMaxBytes is the default size limit of an event.
const DefaultMaxBytes = 1 << 20

// Verify verifies the signature of a request and then parses the event. A
// signature that is missing, wrong or too old is an Invalid fault with
// invalid_signature. A signed body that cannot be parsed is not an error:
// Unreadable of the event contains the reason.
type Verify func(header map[string][]string, body []byte, now time.Time) (usecaseinbox.Event, error)

// Inbox stores events durably before the response.
type Inbox interface {
	Receive(ctx context.Context, sender inbox.Sender, e usecaseinbox.Event) error
}

// Receiver implements the webhook operations of the specification.
type Receiver struct {
	Inbox Inbox
	// Senders are the configured senders. All other senders get not_found.
	Senders    map[inbox.Sender]Verify
	Storage    Storage       // nil without document stores that send notifications
	Email      *EmailInbound // nil if no provider of inbound e-mail calls
	WriteError func(c *gin.Context, err error)
	Clock      usecase.Clock
	Log        *slog.Logger
	MaxBytes   int64 // limit of a body; 0 means DefaultMaxBytes
	// ReadBody reads a body of at most limit bytes within the memory budget of
	// the process; nil: without a budget.
	ReadBody func(c *gin.Context, limit int64) ([]byte, error)
}

var _ webhooks.ServerInterface = (*Receiver)(nil)

// Register adds the routes. No middleware before them may read the body.
func (r *Receiver) Register(routes gin.IRouter) {
	webhooks.RegisterHandlersWithOptions(routes, r, webhooks.GinServerOptions{ErrorHandler: r.badHeader})
}

// ReceivePaymentEvent implements the operation receivePaymentEvent.
func (r *Receiver) ReceivePaymentEvent(c *gin.Context, _ webhooks.ReceivePaymentEventParams) {
	r.receive(c, inbox.Payments)
}

// ReceiveIdentityEvent implements the operation receiveIdentityEvent.
func (r *Receiver) ReceiveIdentityEvent(c *gin.Context, _ webhooks.ReceiveIdentityEventParams) {
	r.receive(c, inbox.Identity)
}

// badHeader refuses a signature header that appears twice.
func (r *Receiver) badHeader(c *gin.Context, err error, _ int) {
	r.WriteError(c, fault.New(fault.Invalid, fault.CodeInvalidSignature,
		"The webhook signature is invalid. Send each signature header exactly once.").WithCause(err))
}

// receive handles a delivery. The responses are:
//   - 404: the sender is not configured.
//   - 400: the body is too large or the signature is invalid.
//   - 500: a critical event could not be stored.
//   - 200: everything else. A signed event that cannot be parsed is stored and
//     gets 200, because its sender would otherwise retry it for days.
func (r *Receiver) receive(c *gin.Context, sender inbox.Sender) {
	verify := r.Senders[sender]
	if verify == nil {
		r.WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound, "Webhooks from this sender are not configured."))
		return
	}
	body, err := r.read(c)
	if err != nil {
		r.WriteError(c, err)
		return
	}
	ctx := c.Request.Context()
	event, err := verify(c.Request.Header, body, r.Clock.Now())
	if err != nil {
		// Only the operator can fix this, not the sender.
		r.Log.WarnContext(ctx, "webhook refused", "sender", sender, "error", err)
		r.WriteError(c, err)
		return
	}
	if err := r.Inbox.Receive(ctx, sender, event); err != nil {
		if critical(sender, event.Type) {
			r.WriteError(c, notKept(sender, event, err))
			return
		}
		r.Log.ErrorContext(ctx, "webhook event lost; its sender does not retry it",
			"sender", sender, "event", event.ID, "type", event.Type, "error", err)
	}
	c.JSON(http.StatusOK, webhooks.WebhookReceipt{Received: true})
}

// read returns the body as it was signed.
func (r *Receiver) read(c *gin.Context) ([]byte, error) {
	limit := r.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	if r.ReadBody != nil {
		return r.ReadBody(c, limit)
	}
	tooLarge := new(http.MaxBytesError)
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, limit))
	if errors.As(err, &tooLarge) {
		return nil, fault.New(fault.Invalid, fault.CodePayloadTooLarge, "The event exceeds the limit of %d bytes.", limit).
			With("limit_bytes", limit)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The body is incomplete. Send the event again.").WithCause(err)
	}
	return body, nil
}

// critical reports whether a sender must retry an event that could not be
// stored: it is one of the six events of interface 6.
func critical(sender inbox.Sender, eventType string) bool {
	switch sender {
	case inbox.Payments:
		return slices.Contains(billing.PaymentEvents(), billing.EventType(eventType))
	case inbox.Identity:
		return slices.Contains(identity.ProviderEvents(), identity.ProviderEventType(eventType))
	}
	return false
}

// notKept returns an internal fault for every cause, because the sender retries
// an event after a 500 (decisions 6).
func notKept(sender inbox.Sender, e usecaseinbox.Event, cause error) error {
	return fault.New(fault.Internal, fault.CodeInternal, "The event could not be stored. Send it again.").
		WithCause(fmt.Errorf("store event %s of type %s from %s: %w", e.ID, e.Type, sender, cause))
}
