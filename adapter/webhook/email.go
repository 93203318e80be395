package webhook

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"strings"

	"docledger/domain/email"
	"docledger/domain/fault"
	"docledger/domain/secret"
	"docledger/gen/webhooks"

	"github.com/gin-gonic/gin"
)

// Emails receives e-mail.
type Emails interface {
	// Lookup returns the intake of an address; an unknown one is a NotFound fault.
	Lookup(ctx context.Context, address string) (*email.Intake, error)
	// Receive stores a message. It is a Forbidden fault if the sender is not accepted.
	Receive(ctx context.Context, recipients []*email.Intake, e email.Envelope, message io.Reader) error
}

// EmailInbound is the door for providers of inbound e-mail.
type EmailInbound struct {
	Emails   Emails
	Secret   secret.Text
	MaxBytes int64
}

// ReceiveEmail implements the operation receiveEmail. It streams the message, which is
// larger than other events. The address of the sending server is not known, so SPF has
// no result.
func (r *Receiver) ReceiveEmail(c *gin.Context, params webhooks.ReceiveEmailParams) {
	if r.Email == nil {
		r.WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound, "This installation receives no e-mail by webhook."))
		return
	}
	ctx := c.Request.Context()
	if !r.Email.authentic(c.Request) {
		err := fault.New(fault.Invalid, fault.CodeInvalidSignature, "The secret is wrong. Send it in X-Webhook-Secret, as the password of HTTP Basic or as a bearer token.")
		r.Log.WarnContext(ctx, "e-mail refused", "error", err)
		r.WriteError(c, err)
		return
	}
	to, err := r.Email.Emails.Lookup(ctx, params.Recipient)
	if err != nil {
		r.WriteError(c, err)
		return
	}
	if c.Request.ContentLength > r.Email.MaxBytes {
		r.WriteError(c, r.Email.tooLarge()) // without reading it
		return
	}
	envelope := email.Envelope{}
	if params.Sender != nil {
		envelope.Sender = *params.Sender
	}
	err = r.Email.Emails.Receive(ctx, []*email.Intake{to}, envelope, http.MaxBytesReader(c.Writer, c.Request.Body, r.Email.MaxBytes))
	tooLarge := new(http.MaxBytesError)
	switch {
	case errors.As(err, &tooLarge):
		r.WriteError(c, r.Email.tooLarge())
	case fault.CodeOf(err) == fault.CodeForbidden:
		r.WriteError(c, fault.New(fault.NotFound, fault.CodeNotFound, "The recipient does not accept messages of this sender."))
	case err != nil:
		r.WriteError(c, err)
	default:
		c.JSON(http.StatusOK, webhooks.WebhookReceipt{Received: true})
	}
}

func (e *EmailInbound) tooLarge() *fault.Error {
	return fault.New(fault.Invalid, fault.CodePayloadTooLarge, "The e-mail exceeds the limit of %d bytes.", e.MaxBytes).With("limit_bytes", e.MaxBytes)
}

// authentic compares the secret in a time that does not depend on it.
func (e *EmailInbound) authentic(q *http.Request) bool {
	_, given, ok := q.BasicAuth()
	if !ok {
		given, ok = strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	}
	if values := q.Header.Values("X-Webhook-Secret"); len(values) == 1 {
		given, ok = values[0], true
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(e.Secret.Reveal()))
	return ok && e.Secret.Reveal() != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
