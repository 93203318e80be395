// Package webhook receives what other systems tell the service (interface 4.4
// and section 6). It knows no vendor: each sender's own adapter says whether a
// request is theirs and what it tells.
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

// DefaultMaxBytes is how large an event may be where nothing else is said.
const DefaultMaxBytes = 1 << 20

// Verify holds a request against its signature and then reads the event in it.
// A signature that is missing, wrong or too far from now is an Invalid fault
// with invalid_signature. A signed body that cannot be interpreted is no error:
// the event says in Unreadable why.
type Verify func(header map[string][]string, body []byte, now time.Time) (usecaseinbox.Event, error)

// Inbox keeps events for good before they are answered.
type Inbox interface {
	Receive(ctx context.Context, sender inbox.Sender, e usecaseinbox.Event) error
}

// Receiver answers the webhook operations of the specification.
type Receiver struct {
	Inbox Inbox
	// Senders are those that are configured; all others get not_found.
	Senders    map[inbox.Sender]Verify
	Storage    Storage // nil where no document store calls
	WriteError func(c *gin.Context, err error)
	Clock      usecase.Clock
	Log        *slog.Logger
	MaxBytes   int64 // of a body; 0 means DefaultMaxBytes
	// ReadBody reads a body of at most limit bytes within the process's budget of
	// memory; nil: without one.
	ReadBody func(c *gin.Context, limit int64) ([]byte, error)
}

var _ webhooks.ServerInterface = (*Receiver)(nil)

// Register adds the routes. Nothing before them may read the body.
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

// badHeader answers a signature header that is there twice.
func (r *Receiver) badHeader(c *gin.Context, err error, _ int) {
	r.WriteError(c, fault.New(fault.Invalid, fault.CodeInvalidSignature,
		"The webhook's signature is not valid: each of its headers must be there once.").WithCause(err))
}

// receive is the one table of what a delivery is answered with: 404 for a
// sender that is not configured, 400 for what is too large or not theirs, 500
// for a critical event that cannot be kept, and else 200. A signed event that
// cannot be interpreted is kept and answered with 200, since its sender would
// otherwise repeat it for days.
func (r *Receiver) receive(c *gin.Context, sender inbox.Sender) {
	verify := r.Senders[sender]
	if verify == nil {
		r.WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound, "Events of this sender are not taken: it is not configured here."))
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
		// The sender is answered, but only the operator can put it right.
		r.Log.WarnContext(ctx, "webhook refused", "sender", sender, "error", err)
		r.WriteError(c, err)
		return
	}
	if err := r.Inbox.Receive(ctx, sender, event); err != nil {
		if critical(sender, event.Type) {
			r.WriteError(c, notKept(sender, event, err))
			return
		}
		r.Log.ErrorContext(ctx, "event not kept; its sender will not repeat it",
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
		return nil, fault.New(fault.Invalid, fault.CodePayloadTooLarge, "The event is larger than the %d bytes that are taken.", limit).
			With("limit_bytes", limit)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The body ended before it was complete. Send the event again.").WithCause(err)
	}
	return body, nil
}

// critical says whether a sender must repeat an event that could not be kept:
// it is one of the six of interface 6.
func critical(sender inbox.Sender, eventType string) bool {
	switch sender {
	case inbox.Payments:
		return slices.Contains(billing.PaymentEvents(), billing.EventType(eventType))
	case inbox.Identity:
		return slices.Contains(identity.ProviderEvents(), identity.ProviderEventType(eventType))
	}
	return false
}

// notKept is internal whatever its cause is: the sender repeats what is
// answered with 500 (decisions 6).
func notKept(sender inbox.Sender, e usecaseinbox.Event, cause error) error {
	return fault.New(fault.Internal, fault.CodeInternal, "The event could not be kept. Send it again.").
		WithCause(fmt.Errorf("keep event %s of type %s from %s: %w", e.ID, e.Type, sender, cause))
}
