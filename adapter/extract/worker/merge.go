package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"os"
	"time"

	"docledger/adapter/extract/ocr/raster"
	"docledger/adapter/extract/sniff"
	"docledger/domain/extraction"

	"codeberg.org/go-pdf/fpdf"
	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Limits of a merge.
const (
	mergeWall = 25 * time.Second
	mergeCPU  = 20 * time.Second
	// mergedPixels and mergedWidth limit an image on a page: A4 at 300 dots an inch.
	mergedPixels = 8_700_000
	mergedWidth  = 3508
	// mergedLossless is the size up to which an image keeps each of its pixels.
	mergedLossless = 2 << 20
	mergedQuality  = 90
	// mergedSide is the longer side of the page of an image in points: that of A4.
	mergedSide = 841.89
)

// Merge makes one PDF of the pages of files. Its errors are those of extraction.Merger.
func (p *Pool) Merge(ctx context.Context, files []extraction.MergedFile) (data []byte, pages int, err error) {
	b := &budget{memory: p.config.Memory, wall: mergeWall}
	if hardLimit {
		b.cpu = mergeCPU
	}
	a, err := p.withEngine(ctx, b, request{Operation: opMerge, Files: files})
	if err != nil {
		return nil, 0, err
	}
	if len(a.file) == 0 || a.count < 1 || a.count > extraction.MaxMergedPages {
		return nil, 0, errProtocol
	}
	return a.file, a.count, nil
}

// merge sends a PDF of the pages of files, and their number.
func (c *child) merge(q request) error {
	if c.engine == nil {
		return c.send(frameEngine, nil)
	}
	defer freeAfter(costly + 1)
	instance, err := c.engine.start()
	if err != nil {
		return err
	}
	defer instance.Close() //nolint:errcheck // it is thrown away
	created, err := instance.FPDF_CreateNewDocument(&requests.FPDF_CreateNewDocument{})
	if err != nil {
		return fmt.Errorf("create a PDF: %w", err)
	}
	m := &merge{instance: instance, out: created.Document}
	for _, f := range q.Files {
		if err := m.add(f); err != nil {
			return named(f.Name, err)
		}
	}
	var out bytes.Buffer
	_, err = instance.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{Document: m.out, FileWriter: &capped{&out}})
	if out.Len() >= maxAnswer {
		return extraction.Fail(extraction.TooLarge, "The merged document would have more than %d MiB. Merge fewer pages.", maxAnswer>>20)
	}
	if err != nil || out.Len() == 0 {
		return extraction.Fail(extraction.Malformed, "The pages cannot be merged. Export the files again and upload the new ones.")
	}
	if err := writeJSON(c.out, frameCount, m.pages); err != nil {
		return err
	}
	return c.sendFile(out.Bytes())
}

// named adds the name of a file to the reason why it cannot be merged.
func named(name string, err error) error {
	var failure *extraction.Failure
	if errors.As(err, &failure) {
		return extraction.Fail(failure.Reason, "%s: %s", name, failure.Message)
	}
	return err
}

// capped keeps at most maxAnswer bytes. More are an error.
type capped struct{ *bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	if room := maxAnswer - c.Len(); len(b) > room {
		_, _ = c.Buffer.Write(b[:room])
		return room, io.ErrShortWrite
	}
	return c.Buffer.Write(b)
}

// merge is a PDF that is made of pages of files.
type merge struct {
	instance pdfium.Pdfium
	out      references.FPDF_DOCUMENT
	pages    int
}

// add appends pages of a file.
func (m *merge) add(file extraction.MergedFile) error {
	f, err := os.Open(file.Path)
	if err != nil {
		return fmt.Errorf("open document: %w", err)
	}
	defer f.Close()
	if onDocument != nil {
		onDocument(file.Path)
	}
	head, err := io.ReadAll(io.NewSectionReader(f, 0, sniff.HeadBytes))
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	switch sniff.Detect(head).Kind {
	case sniff.PDF:
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return m.addPDF(f, info.Size(), file.Pages)
	case sniff.Image:
		return m.addImage(f, file.Pages)
	}
	return extraction.Fail(extraction.UnsupportedType, "Only PDFs and images can be merged.")
}

// selected returns the pages of a file with count pages that are wanted.
func (m *merge) selected(wanted []extraction.MergedPage, count int) ([]extraction.MergedPage, error) {
	if wanted == nil {
		for n := range min(count, extraction.MaxMergedPages+1) {
			wanted = append(wanted, extraction.MergedPage{Number: n + 1})
		}
	}
	if m.pages+len(wanted) > extraction.MaxMergedPages {
		return nil, extraction.Fail(extraction.TooLarge, "A merged document can have at most %d pages.", extraction.MaxMergedPages)
	}
	for _, p := range wanted {
		if p.Number < 1 || p.Number > count {
			return nil, extraction.Fail(extraction.Malformed, "The file has no page %d. It has %d pages.", p.Number, count)
		}
	}
	return wanted, nil
}

func (m *merge) addPDF(r io.ReadSeeker, size int64, wanted []extraction.MergedPage) error {
	opened, err := m.instance.OpenDocument(&requests.OpenDocument{FileReader: r, FileReaderSize: size})
	if err != nil {
		return refused(err)
	}
	defer m.instance.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: opened.Document}) //nolint:errcheck // the instance ends soon
	count, err := pageCount(m.instance, opened.Document)
	if err != nil {
		return refused(err)
	}
	if wanted, err = m.selected(wanted, count); err != nil {
		return err
	}
	indices := make([]int, len(wanted))
	for i, p := range wanted {
		indices[i] = p.Number - 1
		// The values of form fields become a part of the page, because the form is not copied.
		page := requests.Page{ByIndex: &requests.PageByIndex{Document: opened.Document, Index: p.Number - 1}}
		_, _ = m.instance.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page, Usage: requests.FPDFPage_FlattenUsageNormalDisplay}) // a page without a form stays as it is
	}
	_, err = m.instance.FPDF_ImportPagesByIndex(&requests.FPDF_ImportPagesByIndex{Source: opened.Document, Destination: m.out, PageIndices: indices, Index: m.pages})
	if err != nil {
		return extraction.Fail(extraction.Malformed, "The pages of the PDF cannot be copied. Export it again and upload the new file.")
	}
	for i, p := range wanted {
		if err := m.rotate(m.pages+i, p.Rotate); err != nil {
			return err
		}
	}
	m.pages += len(wanted)
	return nil
}

// rotate turns a page clockwise, in addition to how it is turned already.
func (m *merge) rotate(index, degrees int) error {
	if degrees == 0 {
		return nil
	}
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: m.out, Index: index}}
	before, err := m.instance.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: page})
	if err != nil {
		return notShown(index)
	}
	turned := (int(before.PageRotation) + degrees/90) % 4
	if _, err := m.instance.FPDFPage_SetRotation(&requests.FPDFPage_SetRotation{Page: page, Rotate: enums.FPDF_PAGE_ROTATION(turned)}); err != nil {
		return notShown(index)
	}
	return nil
}

// addImage appends pages of an image file, upright as its camera noted.
func (m *merge) addImage(f *os.File, wanted []extraction.MergedPage) error {
	data, release, err := mapFile(f)
	if err != nil {
		return fmt.Errorf("read document: %w", err)
	}
	defer release()
	file, err := raster.Open(data, raster.DefaultLimits())
	if err != nil {
		return err
	}
	if wanted, err = m.selected(wanted, file.Pages()); err != nil {
		return err
	}
	lossless := !bytes.HasPrefix(data, []byte("\xff\xd8"))
	for _, p := range wanted {
		img, err := file.View(p.Number-1, mergedWidth, mergedPixels)
		if err != nil {
			return err
		}
		sheet, err := sheetOf(smallest(img), lossless)
		if err != nil {
			return err
		}
		if err := m.addPDF(bytes.NewReader(sheet), int64(len(sheet)), []extraction.MergedPage{{Number: 1, Rotate: p.Rotate}}); err != nil {
			return err
		}
	}
	return nil
}

// sheetOf returns a PDF of one page that an image covers.
func sheetOf(img image.Image, lossless bool) ([]byte, error) {
	kind := "png"
	var encoded bytes.Buffer
	if lossless {
		if err := viewEncoder.Encode(&encoded, img); err != nil {
			return nil, fmt.Errorf("encode a page: %w", err)
		}
	}
	if !lossless || encoded.Len() > mergedLossless {
		kind = "jpg"
		encoded.Reset()
		if err := jpeg.Encode(&encoded, img, &jpeg.Options{Quality: mergedQuality}); err != nil {
			return nil, fmt.Errorf("encode a page: %w", err)
		}
	}
	b := img.Bounds()
	scale := mergedSide / float64(max(b.Dx(), b.Dy()))
	size := fpdf.SizeType{Wd: float64(b.Dx()) * scale, Ht: float64(b.Dy()) * scale}
	out := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size})
	out.SetAutoPageBreak(false, 0)
	out.SetCompression(false) // the image is compressed already
	out.AddPage()
	o := fpdf.ImageOptions{ImageType: kind}
	out.RegisterImageOptionsReader("page", o, &encoded)
	out.ImageOptions("page", 0, 0, size.Wd, size.Ht, false, o, 0, "")
	var sheet bytes.Buffer
	if err := out.Output(&sheet); err != nil {
		return nil, fmt.Errorf("make a page: %w", err)
	}
	return sheet.Bytes(), nil
}
