package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// readXML reads a document that is XML as a whole.
func (p *Pipeline) readXML(ctx context.Context, f *os.File, size int64) (*extraction.Result, error) {
	if size > p.options.XMLBytes {
		return nil, extraction.Fail(extraction.TooLarge,
			"The XML is larger than %d MiB. Ask the sender for the invoice without its attachments.", p.options.XMLBytes>>20)
	}
	release, err := p.hold(ctx, size)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, p.options.Deadline)
	defer cancel()
	data := make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, size), data); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	found, err := parse(ctx, data)
	if err != nil {
		return nil, err
	}
	return &extraction.Result{
		Method:        invoice.Structured,
		EngineVersion: EngineVersion,
		Drafts:        found.Drafts,
		MediaType:     einvoice.MediaType,
		Attachments:   found.Attachments,
	}, nil
}

// hold waits until there is room for n bytes of XML.
func (p *Pipeline) hold(ctx context.Context, n int64) (release func(), err error) {
	n = min(n, xmlAtOnce)
	if err := p.bytes.Acquire(ctx, n); err != nil {
		return nil, late(err)
	}
	return func() { p.bytes.Release(n) }, nil
}

func parse(ctx context.Context, data []byte) (*einvoice.Found, error) {
	found, err := einvoice.Parse(ctx, data)
	var failure *extraction.Failure
	if err != nil && !errors.As(err, &failure) {
		return nil, late(err)
	}
	return found, err
}
