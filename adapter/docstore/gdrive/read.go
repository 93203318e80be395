package gdrive

import (
	"context"
	"errors"
	"net/http"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Open implements docstore.Reader. It checks the file before its bytes, because the provider also
// serves the bytes of files in the trash.
func (c *Connector) Open(ctx context.Context, a integration.Access, _ docstore.Location, it docstore.Item) (docstore.Content, error) {
	if !client.IsID(it.ID) {
		return docstore.Content{}, notFound("file", connector.ErrNoSuchID)
	}
	f, err := c.client.File(ctx, a, it.ID)
	if err != nil {
		return docstore.Content{}, translate("file", err)
	}
	switch {
	case f.Trashed:
		return docstore.Content{}, notFound("file", errors.New("it is in the trash"))
	case f.Exportable():
		s, err := c.client.Export(ctx, a, f.ID)
		return content(s, versionOf(f), f.Name+".pdf", err)
	case f.Native():
		return docstore.Content{}, docstore.ContentUnavailable(Provider, "files of its type have no content.", errors.New(f.MimeType))
	}
	s, err := c.client.Download(ctx, a, f.ID)
	return content(s, versionOf(f), "", err)
}

// content converts a stream. version was read before the stream, so a change in between is reported
// later as a new version.
func content(s httpclient.Stream, version, name string, err error) (docstore.Content, error) {
	if err != nil {
		return docstore.Content{}, ofContent(err)
	}
	return docstore.Content{Body: connector.Content(Provider, s.Body), Size: s.Size, MediaType: s.MediaType, Name: name, Version: version}, nil
}

// ofContent returns the fault for content that cannot be read. A disabled download can become
// enabled, by people or when the upload ends.
func ofContent(err error) error {
	f := httpclient.FailureOf(err)
	if f == nil || f.Status != http.StatusForbidden {
		return translate("file", err)
	}
	switch f.Code() {
	case client.ReasonNoDownload, client.ReasonNotYet:
		return docstore.Locked(Provider, 0, f)
	case client.ReasonHarmful:
		return docstore.ContentUnavailable(Provider, "the store blocks it as harmful.", f)
	case client.ReasonTooLargeExport:
		return docstore.ContentUnavailable(Provider, "it is too large for a PDF export.", f)
	case client.ReasonNotExportable:
		return docstore.ContentUnavailable(Provider, "it cannot be exported as PDF.", f)
	}
	return translate("file", err)
}
