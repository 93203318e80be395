package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Readable returns the data of an electronic invoice for people, as HTML or as PDF (domain D29).
func (s *Service) Readable(ctx context.Context, a identity.Actor, id uuid.UUID, pdf bool) (*File, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	return s.ReadableOf(ctx, d, pdf)
}

// ReadableOf is Readable for a document that the caller has read.
func (s *Service) ReadableOf(ctx context.Context, d *document.Document, pdf bool) (*File, error) {
	if ofPages(d) { // the data of a PDF belongs to the file
		if err := s.requireWhole(ctx, d); err != nil {
			return nil, err
		}
	}
	f := &File{MediaType: "text/html; charset=utf-8", Name: baseOf(d.Filename) + ".html"}
	if pdf {
		f.MediaType, f.Name = "application/pdf", baseOf(d.Filename)+".pdf"
	}
	waiting, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	data, err := s.onOriginal(waiting, d, func(ctx context.Context, v extraction.Viewed) (data []byte, err error) {
		if pdf {
			return s.Viewer.PDF(ctx, v)
		}
		data, f.Policy, err = s.Viewer.HTML(ctx, v)
		return data, err
	})
	if err != nil {
		return nil, viewFault(ctx, d, err)
	}
	f.Content = memoryFile{bytes.NewReader(data)}
	return f, nil
}

// baseOf returns a file name without its extension.
func baseOf(name string) string {
	if base := strings.TrimSuffix(name, path.Ext(name)); base != "" {
		return base
	}
	return name
}

// Attachment returns a file that is embedded in a document, by its position in the document's
// attachments, from 1.
func (s *Service) Attachment(ctx context.Context, a identity.Actor, id uuid.UUID, position int) (*File, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if position < 1 || position > len(d.Attachments) {
		return nil, errNoAttachment(d)
	}
	if err := s.requireWhole(ctx, d); err != nil {
		return nil, err
	}
	wanted, nth := d.Attachments[position-1], 0
	for _, before := range d.Attachments[:position-1] {
		if before == wanted {
			nth++
		}
	}
	// Documents with the same bytes have the same attachments.
	f, err := s.derived(ctx, d, fmt.Sprintf("attachment/%d/%d/%d", viewVersion, d.Part, position), true, func(ctx context.Context, v extraction.Viewed) ([]byte, error) {
		return s.Viewer.Attachment(ctx, v, wanted, nth)
	})
	if err != nil {
		return nil, err
	}
	head := make([]byte, SniffLength)
	n, err := io.ReadFull(f.Content, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.Join(fmt.Errorf("read attachment: %w", err), f.Content.Close())
	}
	if _, err := f.Content.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(fmt.Errorf("read attachment: %w", err), f.Content.Close())
	}
	f.Name, f.MediaType = document.CleanFilename(wanted.Name), s.Sniffer.MediaType(head[:n])
	return f, nil
}

func errNoAttachment(d *document.Document) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "The document has no such attachment. It has %d attachments.", len(d.Attachments))
}
