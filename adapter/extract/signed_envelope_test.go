package extract_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract"
	"docledger/adapter/extract/signed/signedtest"
	"docledger/domain/invoice"
)

// TestSignedEnvelopes checks that the invoices in a signed envelope are extracted, with
// the signature as stated: in this process and, for large files, in a child process.
func TestSignedEnvelopes(t *testing.T) {
	t.Parallel()
	p := open(t, extract.Options{})
	at := time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)
	fattura, err := os.ReadFile("einvoice/testdata/fatturapa-two-bodies.xml")
	if err != nil {
		t.Fatal(err)
	}
	large := bytes.Replace(fattura, []byte("<FatturaElettronicaBody>"), []byte("<!--"+strings.Repeat("x", extract.SmallXML)+"--><FatturaElettronicaBody>"), 1)
	for title, content := range map[string][]byte{"small": fattura, "large": large} {
		result, err := p.Read(t.Context(), store(t, signedtest.Envelope(t, content, "Mario Rossi", at)))
		if err != nil {
			t.Errorf("%s: %v", title, err)
			continue
		}
		if result.Method != invoice.Structured || len(result.Drafts) != 2 || result.MediaType != "application/pkcs7-mime" {
			t.Errorf("%s: %s, %d drafts, %s", title, result.Method, len(result.Drafts), result.MediaType)
		}
		if len(result.Signatures) != 1 || result.Signatures[0].Signer != "Mario Rossi" || !result.Signatures[0].SignedAt.Equal(at) {
			t.Errorf("%s: signatures %+v", title, result.Signatures)
		}
	}
	plain, err := p.Read(t.Context(), store(t, fattura))
	if err != nil || plain.MediaType != "application/xml" || plain.Signatures != nil {
		t.Errorf("without an envelope: %+v, %v", plain, err)
	}
	for code, content := range map[string][]byte{"unsupported_type": []byte("%PDF-1.7"), "other": []byte("<note/>"), "truncated": fattura[:900]} {
		_, err := p.Read(t.Context(), store(t, signedtest.Envelope(t, content, "Mario Rossi", at)))
		wantFailure(t, err, code)
	}
	_, err = p.Read(t.Context(), store(t, signedtest.Around(t, nil, "Mario Rossi", at)))
	wantFailure(t, err, "unsupported_type")
	damaged := signedtest.Envelope(t, fattura, "Mario Rossi", at)
	_, err = p.Read(t.Context(), store(t, damaged[:1000]))
	wantFailure(t, err, "malformed")
}
