package pdftext_test

import (
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/extraction"
	"docledger/test/lib/cputime"
)

// FuzzRead checks that words with any text and position, on pages of any size, cause
// no crash, and that evidence refers to positions on the page.
func FuzzRead(f *testing.F) {
	f.Add("Invoice No 12 Total 5.00 EUR Date 1/2/2020 Qty Price Amount 1 2,00 2,00", []byte{1, 2, 3, 4, 5, 6, 7, 8}, 595.0)
	f.Add(strings.Join(simple, " "), []byte{10, 20, 30, 21, 40, 20, 60, 22, 80, 20, 95, 21}, 595.0)
	f.Add("فاتورة ضريبية رقم ١٢ المجموع ٥٫٠٠ ريال _ . , -", []byte{200, 100, 50, 25}, 842.0)
	f.Add("請求書 合計 12,000円 10%対象 御中", []byte{0, 0, 0, 0, 255, 255}, 1.0)
	f.Fuzz(func(t *testing.T, text string, places []byte, size float64) {
		words := strings.Fields(text)
		if len(words) > 300 || len(places) == 0 {
			return
		}
		p := layout.Page{Number: 1, Width: size, Height: 842}
		at := func(i int) float64 { return float64(places[i%len(places)]) / 255 }
		for i, w := range words {
			x, y := at(2*i), at(2*i+1)
			p.Words = append(p.Words, layout.Word{Text: w, Box: layout.Box{x, y, x + at(i)/8, y + at(i+3)/40}})
		}
		var d *extraction.Draft
		var err error
		cputime.Within(t, 2*len(text), func() { d, err = pdftext.Read([]layout.Page{p, p}, pdftext.Options{Forced: true}) })
		if err != nil {
			return
		}
		for path, e := range d.Fields {
			if e.Confidence < 0 || e.Confidence > 1 || e.Page > 2 {
				t.Errorf("%s: %+v", path, e)
			}
		}
	})
}

// FuzzTime checks that the time for thousands of words with any text and position is
// proportional to their size.
func FuzzTime(f *testing.F) {
	f.Add("Invoice total 1.00 EUR 19 % VAT net gross IBAN", uint16(9000), uint8(97), uint8(31))
	f.Add("VAT ID DE123456789", uint16(9000), uint8(1), uint8(0))
	f.Add("01.02.2024 Due date", uint16(9000), uint8(0), uint8(1))
	f.Add("1 Article 2 5.00 10.00", uint16(9000), uint8(13), uint8(0))
	f.Add("30 days net", uint16(9000), uint8(255), uint8(255))
	f.Fuzz(func(t *testing.T, text string, times uint16, right, down uint8) {
		given := strings.Fields(text)
		if len(given) == 0 || len(text) > 500 {
			return
		}
		const perPage = 2500
		var pages []layout.Page
		size := 0
		for i := range min(int(times), 10_000) {
			if i%perPage == 0 {
				pages = append(pages, layout.Page{Number: len(pages) + 1, Width: 595, Height: 842})
			}
			w := given[i%len(given)]
			x, y := float64(i*int(right)%1000)/1000, float64(i*int(down)%1000)/1000
			p := &pages[len(pages)-1]
			p.Words = append(p.Words, layout.Word{Text: w, Box: layout.Box{x, y, x + 0.03, y + 0.01}})
			size += len(w) + 1
		}
		cputime.Within(t, size, func() { pdftext.Read(pages, pdftext.Options{Forced: true}) }) //nolint:errcheck // only the time matters
	})
}
