// Package einvoice parses structured electronic invoices: UBL 2, UN/CEFACT CII
// (Factur-X, ZUGFeRD 2, XRechnung), ZUGFeRD 1, FatturaPA, Facturae and KSeF.
//
// Only the root element determines the dialect. Values are used as stated and are
// never recomputed. An unreadable value stays empty, and its evidence contains the
// text. Within a dialect, elements are matched by their local names, because senders
// use different prefixes.
package einvoice

import (
	"context"
	"errors"
	"fmt"

	"docledger/adapter/extract/einvoice/rules"
	"docledger/adapter/extract/einvoice/xmltree"
	"docledger/domain/document"
	verdict "docledger/domain/einvoice"
	"docledger/domain/extraction"
)

// EngineVersion identifies this parser in Result.EngineVersion. Every change that may
// change a result must increase it.
const EngineVersion = "einvoice/1"

// MediaType is the media type of the supported documents.
const MediaType = "application/xml"

// The formats of drafts.
const (
	FormatUBL       = "ubl"
	FormatCII       = "cii"
	FormatZUGFeRD1  = "zugferd1"
	FormatFatturaPA = "fatturapa"
	FormatFacturae  = "facturae"
	FormatKSeF      = "ksef"
)

const (
	maxDrafts      = 1000 // maximum invoices in one file
	maxAttachments = 500
)

// Found is the content of an XML document.
type Found struct {
	Format      string
	Profile     string             // specification identifier of the document (BT-24), as stated
	Drafts      []extraction.Draft // at least one; several if one file contains several invoices
	Attachments []document.Attachment
	Verdict     *verdict.Verdict // verdict of the official rules; nil for formats without rules
}

// Parse returns the invoices of an XML document. The error is an *extraction.Failure
// if the document is invalid or not an invoice. Otherwise it is the error of ctx.
// Parse opens no file and keeps no reference to data.
func Parse(ctx context.Context, data []byte) (*Found, error) {
	tree, err := xmltree.Parse(ctx, data)
	if err != nil {
		return nil, failure(err)
	}
	root := unwrap(tree.Root())
	d, err := detect(root)
	if err != nil {
		return nil, err
	}
	found := &Found{Format: d.format, Profile: shorten(oneLine(d.profile(root)), maxSource)}
	drafts, err := d.read(root)
	if err != nil {
		return nil, err
	}
	for _, draft := range drafts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		draft.finish()
		found.Drafts = append(found.Drafts, extraction.Draft{
			Content: draft.content,
			Fields:  draft.fields,
			Format:  d.format,
			Checks:  draft.checks,
		})
	}
	found.Attachments = attachments(d, root)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found.Verdict = rules.Judge(root, tree.Elements())
	return found, nil
}

func failure(err error) error {
	var syntax *xmltree.SyntaxError
	switch {
	case errors.Is(err, xmltree.ErrEmpty):
		return extraction.Fail(extraction.Empty, "The file is empty. Ask the sender for it again.")
	case errors.Is(err, xmltree.ErrTruncated):
		return extraction.Fail(extraction.Truncated, "The XML ends in the middle. Upload the whole file, or ask the sender for it again.")
	case errors.Is(err, xmltree.ErrDoctype):
		return extraction.Fail(extraction.EntityDeclaration,
			"The XML declares entities or a document type. E-invoices do not need them, and they are a security risk. Ask the sender for the invoice without them.")
	case errors.Is(err, xmltree.ErrDepth):
		return extraction.Fail(extraction.NestingTooDeep, "The elements of the XML are nested too deeply for an e-invoice. Ask the sender for the invoice in a standard format.")
	case errors.Is(err, xmltree.ErrSize):
		return extraction.Fail(extraction.TooLarge, "The XML is too large. Split it, or ask the sender for the invoice without its attachments.")
	case errors.As(err, &syntax):
		return extraction.Fail(extraction.Malformed, "The file is not well-formed XML (%s). Ask the sender for a corrected file.", syntax.Error())
	}
	return fmt.Errorf("parse XML: %w", err)
}
