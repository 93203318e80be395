package content

import (
	"errors"
	"slices"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/document"
	"docledger/domain/extraction"
)

// several reads each invoice of a file of pages (domain D11). A file with one invoice
// gives one draft without a range of pages. Pages that hold no invoice belong to the
// invoice before them, the first ones to the invoice after them.
func several(pages []layout.Page, read func([]layout.Page) (*extraction.Draft, error)) ([]extraction.Draft, error) {
	var drafts []extraction.Draft
	from := 0
	parts := pdftext.Parts(pages)
	if len(parts) == 1 {
		parts = nil // the whole file is read below
	}
	for _, part := range parts {
		draft, err := read(renumbered(pages[from:part[1]]))
		var failure *extraction.Failure
		switch {
		case errors.As(err, &failure) && len(drafts) > 0:
			drafts[len(drafts)-1].Pages.To = pages[part[1]-1].Number
			from = part[1]
			continue
		case errors.As(err, &failure):
			continue // tried again together with the next part
		case err != nil:
			return nil, err
		}
		draft.Pages = &document.Pages{From: pages[from].Number, To: pages[part[1]-1].Number}
		drafts = append(drafts, *draft)
		from = part[1]
	}
	if len(drafts) > 1 {
		return drafts, nil
	}
	draft, err := read(pages)
	if err != nil {
		return nil, err
	}
	return []extraction.Draft{*draft}, nil
}

// renumbered returns pages as those of a document of their own.
func renumbered(pages []layout.Page) []layout.Page {
	out := slices.Clone(pages)
	for i := range out {
		out[i].Number = i + 1
	}
	return out
}
