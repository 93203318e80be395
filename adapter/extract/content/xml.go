package content

import (
	"context"
	"errors"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/extraction"
)

// parse parses XML. If the document's own time limit ends, this is a failure of the
// document. If the caller's context ends, this is an error, unless its deadline has
// passed.
func parse(ctx context.Context, data []byte) (*einvoice.Found, error) {
	found, err := einvoice.Parse(ctx, data)
	if err != nil && errors.Is(err, context.DeadlineExceeded) {
		return nil, extraction.Fail(extraction.TimedOut,
			"Reading the document took too long. Ask the sender for a simpler file, or upload the invoice as XML.")
	}
	return found, err
}
