//go:build !race

package extract_test

import (
	"errors"
	"testing"

	"docledger/domain/extraction"
	"docledger/test/lib/scans"
)

func TestScanNeedsRecognition(t *testing.T) {
	t.Parallel()
	p := reading(t)
	if _, err := p.Read(t.Context(), store(t, scans.Invoice("1"))); !errors.Is(err, extraction.ErrNeedsOCR) {
		t.Errorf("an image gives %v", err)
	}
	if _, err := p.Read(t.Context(), store(t, imagePDF(1))); !errors.Is(err, extraction.ErrNeedsOCR) {
		t.Errorf("a PDF of images gives %v", err)
	}
}

func TestPDFOfImages(t *testing.T) {
	t.Parallel()
	p := reading(t)
	result, err := recognized(t, p, imagePDF(2))
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Drafts[0].Content.Number; got != "RE-2026-0471" || result.PageCount != 2 || result.MediaType != "application/pdf" {
		t.Errorf("number %q, %d pages, %s", got, result.PageCount, result.MediaType)
	}
}

func TestLongScanIsRefused(t *testing.T) {
	t.Parallel()
	p := reading(t)
	_, err := recognized(t, p, imagePDF(2000))
	wantFailure(t, err, "too_large")
}
