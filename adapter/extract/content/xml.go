package content

import (
	"context"
	"errors"

	"docledger/adapter/extract/einvoice"
	"docledger/adapter/extract/signed"
	"docledger/adapter/extract/sniff"
	"docledger/domain/document"
	"docledger/domain/extraction"
)

// unsigned returns the XML of a file: the file itself, or the XML in a signed envelope
// with its signatures.
func unsigned(data []byte) ([]byte, []document.Signature, error) {
	if sniff.Detect(data).Kind != sniff.Signed {
		return data, nil, nil
	}
	envelope, err := signed.Open(data)
	switch {
	case errors.Is(err, signed.ErrDetached):
		return nil, nil, extraction.Fail(extraction.UnsupportedType, "The file contains a signature without the signed invoice. Upload the invoice itself.")
	case err != nil:
		return nil, nil, extraction.Fail(extraction.Malformed, "The signed envelope is damaged. Ask the sender for the file again.")
	case !sniff.LooksLikeXML(envelope.Content):
		return nil, nil, extraction.Fail(extraction.UnsupportedType, "The file in the signed envelope is not XML. Save it from the envelope and upload it.")
	}
	return envelope.Content, envelope.Signatures, nil
}

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
