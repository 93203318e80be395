package msgraph

import (
	"context"
	"net/http"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Open implements docstore.Reader.
func (c *Connector) Open(ctx context.Context, a integration.Access, p docstore.Location, it docstore.Item) (docstore.Content, error) {
	if !client.IsID(p.SubSource) || !client.IsID(it.ID) {
		return docstore.Content{}, notFound("file", connector.ErrNoSuchID)
	}
	s, err := c.client.Download(ctx, a, p.SubSource, it.ID)
	if err != nil {
		return docstore.Content{}, ofContent(err)
	}
	return docstore.Content{Body: connector.Content(Provider, s.Body), Size: s.Size, MediaType: s.MediaType}, nil
}

// ofContent returns the fault for content that cannot be read. A file that is being written or is
// locked is a temporary failure.
func ofContent(err error) error {
	f := httpclient.FailureOf(err)
	switch {
	case f == nil:
		return err
	case f.Has(client.CodeMalware):
		return docstore.ContentUnavailable(Provider, "the store blocks it as harmful.", f)
	case f.Status == http.StatusLocked, f.Status == http.StatusConflict:
		return docstore.Locked(Provider, f.RetryAfter, f)
	case f.Status == http.StatusBadRequest, f.Status == http.StatusNotImplemented:
		return docstore.ContentUnavailable(Provider, "files of its type have no content.", f)
	}
	return translate("file", err)
}
