//go:build !race

package worker_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
)

func viewing(t *testing.T) *worker.Pool {
	t.Helper()
	p := worker.NewViewing(1, "")
	t.Cleanup(func() { p.Close() }) //nolint:errcheck // it never fails
	return p
}

func shown(t *testing.T, p *worker.Pool, path string, number, width int) image.Image {
	t.Helper()
	v, err := p.View(t.Context(), path, number, width, worker.Shown{})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(v.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds(); size.Dx() != v.Width || size.Dy() != v.Height {
		t.Errorf("the image is %v, stated are %d by %d", size.Max, v.Width, v.Height)
	}
	return img
}

func TestViewRendersAPage(t *testing.T) {
	t.Parallel()
	p := viewing(t)
	path := store(t, "printed.pdf", printed(mediaBox, twoCells, "1 0 0 rg 0 0 250 500 re f"))
	first := shown(t, p, path, 1, 400)
	if size := first.Bounds(); size.Dx() != 400 || size.Dy() != 800 {
		t.Errorf("the image is %v", size.Max)
	}
	if _, gray := first.(*image.Gray); !gray {
		t.Errorf("a page without color is a %T", first)
	}
	second := shown(t, p, path, 2, 1000)
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(second.At(x, y)).(color.RGBA) }
	if at(100, 1900) != (color.RGBA{255, 0, 0, 255}) || at(900, 100) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("the colors are %v and %v", at(100, 1900), at(900, 100))
	}
	for _, number := range []int{3, 2000, 2001} {
		if _, err := p.View(t.Context(), path, number, 400, worker.Shown{}); !errors.Is(err, extraction.ErrNoPage) {
			t.Errorf("page %d: %v", number, err)
		}
		if _, err := p.PageText(t.Context(), path, number, 5000, worker.Shown{}); !errors.Is(err, extraction.ErrNoPage) {
			t.Errorf("words of page %d: %v", number, err)
		}
	}
	text, err := p.PageText(t.Context(), path, 1, 5000, worker.Shown{})
	if err != nil || texts(*text) != "Total|due|EUR|119.00" {
		t.Errorf("the words are %v, %v", text, err)
	}
}

// A page is never larger than its bound, whatever its size is.
func TestViewBoundsExtremePages(t *testing.T) {
	t.Parallel()
	p := viewing(t)
	for name, box := range map[string]string{"receipt": "/MediaBox [0 0 100 14000]", "banner": "/MediaBox [0 0 14400 10]", "dot": "/MediaBox [0 0 0.01 0.01]"} {
		img := shown(t, p, store(t, name+".pdf", printed(box, twoCells)), 1, 2000)
		if size := img.Bounds(); size.Dx() > 2000 || size.Dx()*size.Dy() > 12_000_000 {
			t.Errorf("%s: the image is %v", name, size.Max)
		}
	}
}

func TestDataOfAnElectronicInvoiceIsShown(t *testing.T) {
	t.Parallel()
	p := viewing(t)
	xml := store(t, "invoice.xml", []byte(ubl))
	if size := shown(t, p, xml, 1, 500).Bounds(); size.Dx() != 500 || size.Dy() < 600 {
		t.Errorf("the page is %v", size.Max)
	}
	if _, err := p.View(t.Context(), xml, 2, 500, worker.Shown{}); !errors.Is(err, extraction.ErrNoPage) {
		t.Errorf("page 2: %v", err)
	}
	text, err := p.PageText(t.Context(), xml, 1, 5000, worker.Shown{PDF: true})
	if err != nil || !strings.Contains(texts(*text), "W-1") {
		t.Errorf("the words are %v, %v", text, err)
	}
	for name, data := range map[string][]byte{"invoice.xml": []byte(ubl), "hybrid.pdf": sound} {
		html, err := p.Show(t.Context(), store(t, name, data), worker.Shown{})
		if err != nil || !strings.Contains(string(html), "<h1>Invoice W-1</h1>") {
			t.Errorf("%s as HTML: %s, %v", name, html, err)
		}
		file, err := p.Show(t.Context(), store(t, name, data), worker.Shown{PDF: true, Part: 1})
		if err != nil || !strings.HasPrefix(string(file), "%PDF-") {
			t.Errorf("%s as PDF: %v", name, err)
		}
	}
	var failure *extraction.Failure
	if _, err := p.Show(t.Context(), xml, worker.Shown{Part: 2}); !errors.As(err, &failure) {
		t.Errorf("a missing part: %v", err)
	}
	if _, err := p.Show(t.Context(), store(t, "printed.pdf", printed(mediaBox, twoCells)), worker.Shown{}); !errors.As(err, &failure) {
		t.Errorf("a printed document: %v", err)
	}
}

// TestEmbeddedFilesAreExtracted extracts each file that the extraction lists.
func TestEmbeddedFilesAreExtracted(t *testing.T) {
	t.Parallel()
	p := viewing(t)
	const reference = `<cac:AdditionalDocumentReference xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"><cbc:ID>A</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/plain" filename="../a&lt;b&gt;.txt">aGVs
bG8%s</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`
	at := strings.Index(ubl, "</Invoice>")
	xml := []byte(ubl[:at] + strings.ReplaceAll(reference, "%s", "=") + strings.ReplaceAll(reference, "%s", "h") + ubl[at:])
	long := strings.Repeat("the bytes of a file. ", 100)
	for name, c := range map[string]struct {
		data []byte
		want []string
	}{
		"invoice.xml":  {xml, []string{"hello", "hello!"}},
		"hybrid.pdf":   {pdftest.Hybrid("Invoice", []string{"a.xml", "b.txt", "b.txt"}, xml, []byte("one"+long), []byte("two"+long)), []string{string(xml), "one" + long, "two" + long, "hello", "hello!"}},
		"hybrid-2.pdf": {pdftest.Hybrid("Invoice", []string{"b.txt", "b.txt", "a.xml"}, []byte("same"), []byte("same"), []byte(ubl)), []string{"same", "same", ubl}},
	} {
		path := store(t, name, c.data)
		var result *extraction.Result
		var err error
		if strings.HasSuffix(name, ".xml") {
			result, err = p.XML(t.Context(), worker.Document{Path: path, Size: int64(len(c.data))})
		} else {
			result, err = p.PDF(t.Context(), worker.Document{Path: path, Size: int64(len(c.data))})
		}
		if err != nil || len(result.Attachments) != len(c.want) {
			t.Fatalf("%s: %+v, %v", name, result, err)
		}
		for i, a := range result.Attachments {
			nth := 0
			for _, before := range result.Attachments[:i] {
				if before == a {
					nth++
				}
			}
			data, err := p.Attachment(t.Context(), path, a, nth)
			if err != nil || string(data) != c.want[i] {
				t.Errorf("%s %d: %q, %v, want %q", name, i, data, err, c.want[i])
			}
		}
		a := result.Attachments[0]
		a.Name += "x"
		if _, err := p.Attachment(t.Context(), path, a, 0); !errors.Is(err, extraction.ErrNoPage) {
			t.Errorf("%s: a missing file: %v", name, err)
		}
	}
}

func TestViewDecodesImages(t *testing.T) {
	t.Parallel()
	p := viewing(t)
	img := image.NewRGBA(image.Rect(0, 0, 600, 300))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.Set(0, 0, color.RGBA{255, 0, 0, 255})
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		t.Fatal(err)
	}
	path := store(t, "photo.png", data.Bytes())
	if size := shown(t, p, path, 1, 200).Bounds(); size.Dx() != 200 || size.Dy() != 100 {
		t.Errorf("the image is %v", size.Max)
	}
	if size := shown(t, p, path, 1, 2000).Bounds(); size.Dx() != 600 {
		t.Errorf("the image was enlarged to %v", size.Max)
	}
	if _, err := p.View(t.Context(), path, 2, 200, worker.Shown{}); !errors.Is(err, extraction.ErrNoPage) {
		t.Errorf("page 2: %v", err)
	}
}

// bomb is a PNG that states a size and holds nothing of it.
func bomb(width, height uint32) []byte {
	header := make([]byte, 13)
	binary.BigEndian.PutUint32(header, width)
	binary.BigEndian.PutUint32(header[4:], height)
	header[8], header[9] = 8, 2
	chunk := append([]byte("IHDR"), header...)
	out := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	out = append(out, chunk...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
}

func TestViewRefusesHostileFiles(t *testing.T) {
	t.Parallel()
	p := viewing(t)
	tiffLoop := []byte("II*\x00\x08\x00\x00\x00\x01\x00\x00\x01\x03\x00\x01\x00\x00\x00\x10\x00\x00\x00\x08\x00\x00\x00")
	for name, c := range map[string]struct {
		data []byte
		want extraction.Reason
	}{
		"pixels.png":   {bomb(100_000, 100_000), extraction.ExpandsTooFar},
		"loop.tif":     {tiffLoop, extraction.ExpandsTooFar},
		"damaged.tif":  {[]byte("MM\x00*\xff\xff\xff\xf0" + strings.Repeat("x", 100)), extraction.Malformed},
		"damaged.pdf":  {[]byte("%PDF-1.7\n" + strings.Repeat("x", 100)), extraction.Malformed},
		"other.xml":    {[]byte("<a/>"), extraction.NotAnInvoice},
		"page.html":    {[]byte("<html><script>alert(1)</script></html>"), extraction.UnsupportedType},
		"devour.pdf":   {printed(mediaBox, twoCells), extraction.OutOfMemory},
		"panicked.pdf": {printed(mediaBox, twoCells), extraction.Crashed},
		"nested.pdf":   {printed(mediaBox, strings.Repeat("q ", 200_000)+strings.Repeat("0 0 500 1000 re W n ", 300_000)), ""},
	} {
		v, err := p.View(t.Context(), store(t, name, c.data), 1, 400, worker.Shown{})
		if c.want == "" && err == nil && v != nil {
			continue // within its limits
		}
		var failure *extraction.Failure
		if !errors.As(err, &failure) || c.want != "" && failure.Reason != c.want && name != "loop.tif" {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	// The next page is rendered by a new child.
	shown(t, p, store(t, "good.pdf", printed(mediaBox, twoCells)), 1, 100)
}

func BenchmarkView(b *testing.B) {
	p := worker.NewViewing(1, "")
	defer p.Close() //nolint:errcheck // it never fails
	path := store(b, "printed.pdf", printed("/MediaBox [0 0 595 842]", strings.Repeat(twoCells+" ", 60)))
	for _, width := range []int{200, 1000, 2000} {
		b.Run(strings.Join([]string{"width", string(rune('0' + width/1000))}, ""), func(b *testing.B) {
			for b.Loop() {
				if _, err := p.View(b.Context(), path, 1, width, worker.Shown{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
