package webhook

import (
	"context"
	"net/http"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/gen/webhooks"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// Storage hears the notifications of document stores.
type Storage interface {
	// Notified takes a call to the address of a subscription. An echo is the
	// text that the store wants to be answered with. A subscription that is not
	// known is a NotFound fault, a call that is not proven an Invalid one with
	// invalid_signature.
	Notified(ctx context.Context, subscription uuid.UUID, c docstore.Call) (echo string, err error)
}

// ReceiveStorageNotification implements the operation
// receiveStorageNotification. The subscription is looked up before the body is
// read. What a call asks to be answered with, and its secret, are read by the
// store's own adapter.
func (r *Receiver) ReceiveStorageNotification(c *gin.Context, subscription string, _ webhooks.ReceiveStorageNotificationParams) {
	id, err := uuid.Parse(subscription)
	if err != nil || r.Storage == nil {
		r.WriteError(c, fault.Missing("subscription"))
		return
	}
	ctx := c.Request.Context()
	echo, err := r.Storage.Notified(ctx, id, docstore.Call{
		Query: c.Request.URL.Query(), Header: c.Request.Header, ReadBody: func() ([]byte, error) { return r.read(c) },
	})
	switch {
	case fault.CodeOf(err) == fault.CodeInvalidSignature:
		r.Log.WarnContext(ctx, "notification refused", "subscription", id, "error", err)
		r.WriteError(c, err)
	case err != nil:
		r.WriteError(c, err)
	case echo != "":
		// Of a fixed type, which no browser guesses about.
		c.Data(http.StatusOK, "text/plain; charset=utf-8", []byte(echo))
	default:
		c.JSON(http.StatusOK, webhooks.WebhookReceipt{Received: true})
	}
}
