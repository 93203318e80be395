package worker

import (
	"errors"
	"math"
	"unicode/utf8"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/responses"
)

const (
	// maxAnnotations is how many annotations of a page are made a part of it.
	maxAnnotations = 2_000
	// coveringPart is which part of a page its images cover on a scan.
	coveringPart = 0.6
	// scanObjects and scanTexts limit the images and texts that are examined to detect a scan.
	scanObjects = 400
	scanTexts   = 40
)

// errPage says that the engine could not read a page.
var errPage = errors.New("the PDF engine cannot read the page")

// read reads size, rotation and words of the page with out's number. The last page of a
// document stays open.
func (i *instance) read(out *layout.Page, last bool) error {
	page, err := i.load(out.Number)
	if err != nil {
		return err
	}
	changed, err := i.flatten(page)
	if err != nil {
		i.closePage(page)
		return err
	}
	if changed {
		i.closePage(page)
		if page, err = i.load(out.Number); err != nil {
			return err
		}
	}
	if !last {
		defer i.closePage(page)
	}
	seen, err := i.view(page, out)
	if err != nil {
		return err
	}
	out.Scanned = i.scanned(page, out)
	return i.words(page, seen, out, last)
}

func (i *instance) load(number int) (page uint64, err error) {
	page, err = i.call("FPDF_LoadPage", i.document, uint64(number-1)) //nolint:gosec // from 1
	if err == nil && page == 0 {
		err = errPage
	}
	return page, err
}

func (i *instance) closePage(page uint64) {
	i.call("FPDF_ClosePage", page) //nolint:errcheck // the next call fails too
}

// flatten makes the values of form fields and the text of annotations a part of
// the page, so that they are read like the rest of what is seen. It reports
// whether the page must be loaded again to show them.
func (i *instance) flatten(page uint64) (changed bool, err error) {
	count, err := i.call("FPDFPage_GetAnnotCount", page)
	if err != nil || int32(count) == 0 || int32(count) > maxAnnotations { //nolint:gosec // a number of the engine
		return false, err
	}
	const normalDisplay = 0 // FLAT_NORMALDISPLAY
	flat, err := i.call("FPDFPage_Flatten", page, normalDisplay)
	return responses.FPDFPage_FlattenResult(int32(flat)) == responses.FPDFPage_FlattenResultSuccess, err //nolint:gosec // a number of the engine
}

// view reads size and rotation of a page and returns how it is seen.
func (i *instance) view(page uint64, out *layout.Page) (*view, error) {
	width, err := i.call("FPDF_GetPageWidthF", page)
	if err != nil {
		return nil, err
	}
	height, err := i.call("FPDF_GetPageHeightF", page)
	if err != nil {
		return nil, err
	}
	rotation, err := i.call("FPDFPage_GetRotation", page)
	if err != nil {
		return nil, err
	}
	float := func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) } //nolint:gosec // the engine's 32 bits
	out.Width, out.Height = float(width), float(height)
	out.Rotation = int(rotation) * 90 //nolint:gosec // 0 to 3
	return newView(func(x, y float64) (int, int, error) {
		ok, err := i.call("FPDF_PageToDevice", page, 0, 0, viewSize, viewSize, 0,
			math.Float64bits(x), math.Float64bits(y), uint64(i.scratch), uint64(i.scratch+4))
		if err == nil && ok == 0 {
			err = errPage
		}
		at := i.results()
		return integer(at, 0), integer(at, 1), err
	})
}

// scanned says whether a page is a scan: images cover it, and what text it has
// is not shown, as that of a program that read the scan.
func (i *instance) scanned(page uint64, p *layout.Page) bool {
	count, err := i.call("FPDFPage_CountObjects", page)
	if err != nil || p.Width <= 0 || p.Height <= 0 {
		return false
	}
	covered, texts := 0.0, 0
	for n := range min(int(int32(count)), scanObjects) { //nolint:gosec // a number of the engine
		object, err := i.call("FPDFPage_GetObject", page, uint64(n)) //nolint:gosec // not negative
		if err != nil || object == 0 {
			return false
		}
		kind, err := i.call("FPDFPageObj_GetType", object)
		if err != nil {
			return false
		}
		switch {
		case enums.FPDF_PAGEOBJ(kind) == enums.FPDF_PAGEOBJ_IMAGE: //nolint:gosec // a number of the engine
			covered += i.area(object)
		case enums.FPDF_PAGEOBJ(kind) == enums.FPDF_PAGEOBJ_TEXT && texts < scanTexts: //nolint:gosec // a number of the engine
			texts++
			mode, err := i.call("FPDFTextObj_GetTextRenderMode", object)
			if err != nil || enums.FPDF_TEXT_RENDERMODE(int32(mode)) != enums.FPDF_TEXTRENDERMODE_INVISIBLE { //nolint:gosec // a number of the engine
				return false
			}
		}
	}
	return covered >= coveringPart*p.Width*p.Height
}

// area returns the area of an object of a page.
func (i *instance) area(object uint64) float64 {
	at := uint64(i.scratch)
	ok, err := i.call("FPDFPageObj_GetBounds", object, at, at+4, at+8, at+12) // left, bottom, right, top
	if err != nil || ok == 0 {
		return 0
	}
	b := i.results()
	return max(0, float64(single(b, 2)-single(b, 0))) * max(0, float64(single(b, 3)-single(b, 1)))
}

// words reads the characters of a page and joins them into words. The text of the last page
// stays open.
func (i *instance) words(page uint64, seen *view, out *layout.Page, last bool) error {
	text, err := i.call("FPDFText_LoadPage", page)
	if err != nil || text == 0 {
		return errors.Join(errPage, err)
	}
	if !last {
		defer i.call("FPDFText_ClosePage", text) //nolint:errcheck // the next call fails too
	}
	counted, err := i.call("FPDFText_CountChars", text)
	count := int32(counted) //nolint:gosec // a number of the engine
	switch {
	case err != nil:
		return err
	case count < 0:
		return errPage
	case count > maxChars:
		return extraction.Fail(extraction.TooLarge, "Page %d of the PDF holds more text than is accepted.", out.Number)
	}
	unicodeOf, err := i.function("FPDFText_GetUnicode")
	if err != nil {
		return err
	}
	boxOf, err := i.function("FPDFText_GetCharBox")
	if err != nil {
		return err
	}
	j := joiner{out: out.Words}
	at := uint64(i.scratch)
	for n := range uint64(count) {
		code, err := i.invoke(unicodeOf, text, n)
		if err != nil {
			return err
		}
		r := rune(code) //nolint:gosec // the engine's 32 bits
		if !utf8.ValidRune(r) {
			r = utf8.RuneError
		}
		if r == 0 || blank(r) {
			j.end()
			continue
		}
		if _, err := i.invoke(boxOf, text, n, at, at+8, at+16, at+24); err != nil { // left, right, bottom, top
			return err
		}
		b := i.results()
		j.add(r, seen.box(double(b, 0), double(b, 2), double(b, 1), double(b, 3)))
	}
	j.end()
	out.Words = j.out
	return nil
}
