package content

import (
	"context"
	"errors"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/extraction"
)

// parse reads XML. The end of a document's own time is its failure; the end of
// the caller's stays an error unless it was a deadline too.
func parse(ctx context.Context, data []byte) (*einvoice.Found, error) {
	found, err := einvoice.Parse(ctx, data)
	if err != nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, extraction.Fail(extraction.TimedOut,
			"Reading the document took too long. Ask the sender for a simpler file, or upload the invoice as XML.")
	}
	return found, err
}
