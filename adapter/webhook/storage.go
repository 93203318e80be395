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

// Storage handles the change notifications of document stores.
type Storage interface {
	// Notified handles a call to the address of a subscription. echo is the
	// text that the store expects in the response. An unknown subscription is a
	// NotFound fault. A call without the right secret is an Invalid fault with
	// invalid_signature.
	Notified(ctx context.Context, subscription uuid.UUID, c docstore.Call) (echo string, err error)
}

// ReceiveStorageNotification implements the operation
// receiveStorageNotification. It looks up the subscription before it reads the
// body. The connector of the document store parses the validation text and the
// secret.
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
		// A fixed type prevents content sniffing by browsers.
		c.Data(http.StatusOK, "text/plain; charset=utf-8", []byte(echo))
	default:
		c.JSON(http.StatusOK, webhooks.WebhookReceipt{Received: true})
	}
}
