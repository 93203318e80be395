// Package einvoice reads structured electronic invoices: UBL 2, UN/CEFACT CII
// (Factur-X, ZUGFeRD 2, XRechnung), ZUGFeRD 1, FatturaPA, Facturae and KSeF.
//
// The dialect is told from the root element alone. Values are taken as stated:
// nothing is recomputed, and what can't be read stays empty and says so in its
// evidence. Names of elements are matched by their local part within a dialect,
// since senders differ in prefixes more than in anything else.
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

// EngineVersion names this reader in Result.EngineVersion. It rises with every
// change that may read a document differently.
const EngineVersion = "einvoice/1"

// MediaType is the media type of the documents read here.
const MediaType = "application/xml"

// The formats that drafts name.
const (
	FormatUBL       = "ubl"
	FormatCII       = "cii"
	FormatZUGFeRD1  = "zugferd1"
	FormatFatturaPA = "fatturapa"
	FormatFacturae  = "facturae"
	FormatKSeF      = "ksef"
)

const (
	maxDrafts      = 1000 // invoices in one file
	maxAttachments = 500
)

// Found is what an XML document holds.
type Found struct {
	Format      string
	Profile     string             // what the document claims to follow (BT-24), as stated
	Drafts      []extraction.Draft // at least one; several where one file holds several invoices
	Attachments []document.Attachment
	Verdict     *verdict.Verdict // of the official rules; nil for formats without rules
}

// Parse reads the invoices of an XML document. The error is an
// *extraction.Failure where the document is at fault or no invoice, else that
// of ctx. Parse opens nothing and keeps nothing of data.
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
			"The XML declares entities or a document type of its own, which no e-invoice needs and which can do harm. Ask the sender for the invoice without it.")
	case errors.Is(err, xmltree.ErrDepth):
		return extraction.Fail(extraction.NestingTooDeep, "The XML's elements are nested deeper than in any e-invoice. Ask the sender for the invoice in a standard format.")
	case errors.Is(err, xmltree.ErrSize):
		return extraction.Fail(extraction.TooLarge, "The XML is larger than can be read. Split it, or ask the sender for the invoice without its attachments.")
	case errors.As(err, &syntax):
		return extraction.Fail(extraction.Malformed, "The file is not well-formed XML (%s). Ask the sender for a corrected file.", syntax.Error())
	}
	return fmt.Errorf("parse XML: %w", err)
}
