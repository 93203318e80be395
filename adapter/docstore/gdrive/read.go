package gdrive

import (
	"context"
	"errors"
	"io"
	"net/http"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/docstore"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Open implements docstore.Reader. The file is read before its bytes: the
// provider hands out those of files in the bin, too.
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
		return docstore.Content{}, notFound("file", errors.New("it is in the bin"))
	case f.Exportable():
		s, err := c.client.Export(ctx, a, f.ID)
		return content(s, versionOf(f), f.Name+".pdf", err)
	case f.Native():
		return docstore.Content{}, docstore.ContentUnavailable(Provider, "its kind has no content.", errors.New(f.MimeType))
	}
	s, err := c.client.Download(ctx, a, f.ID)
	return content(s, versionOf(f), "", err)
}

// content is a stream in the words of the port. Its version was read before it,
// so that a change in between is told as a later one.
func content(s httpclient.Stream, version, name string, err error) (docstore.Content, error) {
	if err != nil {
		return docstore.Content{}, ofContent(err)
	}
	return docstore.Content{Body: body{s.Body}, Size: s.Size, MediaType: s.MediaType, Name: name, Version: version}, nil
}

// ofContent says why a content is not to be had. A download that is switched
// off may be switched on again, by people or once the upload is over.
func ofContent(err error) error {
	f := httpclient.FailureOf(err)
	if f == nil || f.Status != http.StatusForbidden {
		return translate("file", err)
	}
	switch f.Code() {
	case client.ReasonNoDownload, client.ReasonNotYet:
		return docstore.Locked(Provider, 0, f)
	case client.ReasonHarmful:
		return docstore.ContentUnavailable(Provider, "it is held for harmful there.", f)
	case client.ReasonTooLargeExport:
		return docstore.ContentUnavailable(Provider, "it is too large to be made a PDF.", f)
	case client.ReasonNotExportable:
		return docstore.ContentUnavailable(Provider, "no PDF can be made of it.", f)
	}
	return translate("file", err)
}

// body tells in the words of the port why a content ends early.
type body struct{ io.ReadCloser }

func (b body) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) {
		return n, err
	}
	return n, integration.Unavailable(Provider, 0, err)
}
