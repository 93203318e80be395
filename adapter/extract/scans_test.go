package extract_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"path/filepath"
	"testing"

	"docledger/adapter/extract"
	"docledger/adapter/extract/ocr/raster"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/test/lib/scans"
)

// reading returns a pipeline that supports scans.
func reading(t *testing.T) *extract.Pipeline {
	t.Helper()
	dir := scans.Engine(t, "../..")
	return open(t, extract.Options{OCR: &extract.OCR{Program: filepath.Join(dir, "docledger-ocr"), Dir: dir}})
}

func recognized(t *testing.T, p *extract.Pipeline, data []byte) (*extraction.Result, error) {
	t.Helper()
	s := store(t, data)
	s.Recognize = true
	return p.Read(t.Context(), s)
}

// tilted rotates an image by an angle around its center, on a gray background.
func tilted(src *image.Gray, degrees float64) *image.Gray {
	out := image.NewGray(src.Rect)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	for y := range h {
		for x := range w {
			dx, dy := float64(x-w/2), float64(y-h/2)
			at := image.Pt(w/2+int(cos*dx-sin*dy), h/2+int(sin*dx+cos*dy))
			v := color.Gray{Y: 170}
			if at.In(src.Rect) {
				v = src.GrayAt(at.X, at.Y)
			}
			out.SetGray(x, y, v)
		}
	}
	return out
}

// photographed returns an image as a tilted camera records it: the far edge is
// shorter.
func photographed(src *image.Gray) *image.Gray {
	out := image.NewGray(src.Rect)
	w, h := float64(src.Rect.Dx()), float64(src.Rect.Dy())
	for y := range src.Rect.Dy() {
		for x := range src.Rect.Dx() {
			// The plane recedes to the top and to the right.
			u, v := float64(x)/w-0.5, float64(y)/h-0.5
			depth := 1 - 0.18*v + 0.10*u
			at := image.Pt(int((u*depth+0.5)*w), int((v*depth+0.5)*h))
			value := color.Gray{Y: 120}
			if at.In(src.Rect) {
				value = src.GrayAt(at.X, at.Y)
			}
			out.SetGray(x, y, value)
		}
	}
	return out
}

func TestScansAreExtractedInEveryOrientation(t *testing.T) {
	t.Parallel()
	p := reading(t)
	page := scans.Page("RE-2026-0471")
	var lossless bytes.Buffer
	if err := png.Encode(&lossless, page); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"upright":     lossless.Bytes(),
		"a quarter":   scans.JPEG(raster.Turn(page, 1)),
		"upside down": scans.JPEG(raster.Turn(page, 2)),
		"three":       scans.JPEG(raster.Turn(page, 3)),
		"skewed":      scans.JPEG(tilted(page, 3.5)),
		"photo":       scans.JPEG(photographed(page)),
	} {
		result, err := recognized(t, p, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := result.Drafts[0].Content
		if c.Number != "RE-2026-0471" || c.GrossTotal == nil || c.GrossTotal.String() != "119.00" || c.IssueDate.String() != "2026-03-14" || len(c.Lines) != 2 {
			t.Errorf("%s: number %q, total %v, date %s, %d lines", name, c.Number, c.GrossTotal, c.IssueDate, len(c.Lines))
		}
		e := result.Drafts[0].Fields["gross_total"]
		if e.Source != invoice.FromOCR || e.Box == nil || e.Page != 1 {
			t.Errorf("%s: the evidence of the total is %+v", name, e)
		}
	}
}

// TestEvidenceOfRotatedScan checks that a position refers to the page as stored,
// because a viewer displays that.
func TestEvidenceOfRotatedScan(t *testing.T) {
	t.Parallel()
	p := reading(t)
	result, err := recognized(t, p, scans.JPEG(raster.Turn(scans.Page("RE-2026-0471"), 2)))
	if err != nil {
		t.Fatal(err)
	}
	// The total is on the right, a little below the middle. After the rotation it is
	// on the left above the middle.
	box := result.Drafts[0].Fields["gross_total"].Box
	if box == nil || box[0] > 0.4 || box[1] > 0.5 || box[1] < 0.3 {
		t.Errorf("the total is at %v", box)
	}
}

func TestScanWithoutEngineNamesTheRemedy(t *testing.T) {
	t.Parallel()
	p := open(t, extract.Options{OCR: &extract.OCR{Program: "/nonexistent", Dir: "/nonexistent"}})
	_, err := recognized(t, p, scans.Invoice("1"))
	wantFailure(t, err, "no_text_layer")
}

// TestBrokenEngineIsNotADocumentFailure checks that an engine that cannot start is a
// fault of the installation, not of the document.
func TestBrokenEngineIsNotADocumentFailure(t *testing.T) {
	t.Parallel()
	dir := scans.Engine(t, "../..")
	p := open(t, extract.Options{OCR: &extract.OCR{Program: "/bin/false", Dir: dir}})
	if _, err := recognized(t, p, scans.Invoice("1")); !errors.Is(err, extraction.ErrUnavailable) {
		t.Errorf("err = %v", err)
	}
}

// imagePDF returns a PDF with pages that all show the image of the same invoice.
func imagePDF(pages int) []byte {
	data := scans.Invoice("RE-2026-0471")
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 5+i)
	}
	object("<< /Type /Pages /Count %d /Kids [%s] >>", pages, kids)
	content := "595 0 0 842 0 0 cm /I Do"
	object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
	object("<< /Type /XObject /Subtype /Image /Width 1240 /Height 1754 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream", len(data), data)
	for range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources << /XObject << /I 4 0 R >> >> >>")
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, p := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}
