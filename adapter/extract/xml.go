package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

const (
	// xmlMemory bounds what the XML being read takes at one time, over all
	// documents, as estimated by weigh; a heavier document is read alone.
	xmlMemory = 192 << 20
	// tagBytes is what reading takes for each tag, measured.
	tagBytes = 110
)

// readXML reads a document that is XML as a whole.
func (p *Pipeline) readXML(ctx context.Context, f *os.File, size int64) (*extraction.Result, error) {
	if size > p.options.XMLBytes {
		return nil, extraction.Fail(extraction.TooLarge,
			"The XML is larger than %d MiB. Ask the sender for the invoice without its attachments.", p.options.XMLBytes>>20)
	}
	weight, err := weigh(io.NewSectionReader(f, 0, size))
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	release, err := p.hold(ctx, weight)
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

// weigh estimates how much memory the reading of XML takes: its bytes, and
// more for every tag, of which a few bytes can hold many.
func weigh(r io.Reader) (int64, error) {
	buf := make([]byte, 64<<10)
	total := int64(0)
	for {
		n, err := r.Read(buf)
		total += int64(n) + tagBytes*int64(bytes.Count(buf[:n], []byte("<")))
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// hold waits until there is room for XML of the given weight.
func (p *Pipeline) hold(ctx context.Context, weight int64) (release func(), err error) {
	weight = min(weight, xmlMemory)
	if err := p.memory.Acquire(ctx, weight); err != nil {
		return nil, err // the wait ended, not the document
	}
	return func() { p.memory.Release(weight) }, nil
}

func parse(ctx context.Context, data []byte) (*einvoice.Found, error) {
	found, err := einvoice.Parse(ctx, data)
	var failure *extraction.Failure
	if err != nil && !errors.As(err, &failure) {
		return nil, late(err)
	}
	return found, err
}
