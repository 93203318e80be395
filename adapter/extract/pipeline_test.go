package extract_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"docledger/adapter/extract"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

// open returns a Pipeline that is closed with the test.
func open(t testing.TB, o extract.Options) *extract.Pipeline {
	t.Helper()
	p := extract.New(o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// store writes a document under a neutral name.
func store(t testing.TB, data []byte) extraction.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blob")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return extraction.Source{Name: "invoice.pdf", Path: path, Size: int64(len(data))}
}

func wantFailure(t *testing.T, err error, code string) {
	t.Helper()
	var failure *extraction.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("error = %v, want a failure %q", err, code)
	}
	if failure.Code() != code || len(failure.Message) < 20 {
		t.Errorf("failure = %q (%s), want %q", failure.Code(), failure.Message, code)
	}
}

func TestUnreadableFilesAreReported(t *testing.T) {
	t.Parallel()
	var blank bytes.Buffer
	if err := png.Encode(&blank, image.NewGray(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	vast := bytes.Clone(blank.Bytes())
	copy(vast[16:], []byte{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff}) // width and height
	pixels := append(vast[:29:29], checksum(vast[12:29])...)
	pixels = append(pixels, vast[33:]...)
	sound := pdftest.Hybrid("Invoice 1", []string{"factur-x.xml"}, cii("1", "1.00"))
	cases := map[string]struct {
		data []byte
		code string
	}{
		"empty":                      {nil, "empty"},
		"image":                      {blank.Bytes(), "no_text_layer"},
		"vast image":                 {pixels, "expands_too_far"},
		"archive":                    {[]byte("PK\x03\x04\x14\x00\x00\x00\x08\x00"), "unsupported_type"},
		"web page":                   {[]byte("<!DOCTYPE html><html><script>alert(1)</script>"), "unsupported_type"},
		"program":                    {append([]byte("MZ\x90\x00"), make([]byte, 200)...), "unsupported_type"},
		"noise":                      {[]byte("\x00\x01\x02\x9f\x8e\x7d"), "unsupported_type"},
		"text":                       {[]byte("Please pay 100 EUR."), "unsupported_type"},
		"xml that is something else": {[]byte("<note><to>you</to></note>"), "other"},
		"xml with an entity":         {xxe(), "entity_declaration"},
		"xml that ends early":        {ubl("1", "1.00")[:400], "truncated"},
		"order":                      {orderX(), "order"},
		"PDF header":                 {[]byte("%PDF-1.4\n"), "truncated"},
		"PDF cut off":                {sound[:len(sound)*2/5], "truncated"},
		"PDF with an order":          {pdftest.Hybrid("", []string{"order-x.xml"}, orderX()), "order"},
		"PDF without pages":          {[]byte("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n"), "malformed"},
	}
	p := open(t, extract.Options{})
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			result, err := p.Read(t.Context(), store(t, c.data))
			wantFailure(t, err, c.code)
			if result != nil {
				t.Error("a result in addition to the failure")
			}
		})
	}
}

// checksum is the CRC of a PNG chunk in four bytes.
func checksum(chunk []byte) []byte {
	crc := ^uint32(0)
	for _, c := range chunk {
		crc ^= uint32(c)
		for range 8 {
			if crc&1 == 1 {
				crc = crc>>1 ^ 0xedb88320
			} else {
				crc >>= 1
			}
		}
	}
	crc = ^crc
	return []byte{byte(crc >> 24), byte(crc >> 16), byte(crc >> 8), byte(crc)}
}

func TestHybrid(t *testing.T) {
	t.Parallel()
	data := pdftest.Hybrid("Invoice 7", []string{`..\\..\\etc/pass\rwd.txt`, "factur-x.xml"}, []byte("hello"), cii("FX-7", "119.00"))
	r, err := open(t, extract.Options{}).Read(t.Context(), store(t, data))
	if err != nil {
		t.Fatal(err)
	}
	if r.Method != invoice.Structured || r.EngineVersion != extract.EngineVersion || r.MediaType != "application/pdf" || r.PageCount != 1 {
		t.Errorf("result = %+v", r)
	}
	c := r.Drafts[0].Content
	if len(r.Drafts) != 1 || c.Number != "FX-7" || c.GrossTotal.String() != "119.00" || r.Drafts[0].Format != "cii" {
		t.Errorf("draft = %+v", c)
	}
	if len(r.Checks) != 0 {
		t.Errorf("checks = %+v", r.Checks)
	}
	if len(r.Attachments) != 2 || r.Attachments[0].Name != "passwd.txt" || r.Attachments[0].MediaType != "text/plain" ||
		r.Attachments[0].SizeBytes != 5 || r.Attachments[1].MediaType != "application/xml" {
		t.Errorf("attachments = %+v", r.Attachments)
	}
}

func TestXML(t *testing.T) {
	t.Parallel()
	r, err := open(t, extract.Options{}).Read(t.Context(), store(t, ubl("U-1", "12.50")))
	if err != nil {
		t.Fatal(err)
	}
	if r.Drafts[0].Content.Number != "U-1" || r.MediaType != "application/xml" || r.PageCount != 0 {
		t.Errorf("result = %+v", r)
	}
}

func TestOneOfSeveralInvoicesIsSelected(t *testing.T) {
	t.Parallel()
	type file struct {
		name, relation string
		data           []byte
	}
	cases := map[string]struct {
		files  []file
		number string
		passed []bool // of the checks single_invoice
	}{
		"any name will do": {[]file{{"daten.bin", "", ubl("A", "1.00")}}, "A", nil},
		"the standard name first": {
			[]file{{"invoice.xml", "Alternative", ubl("A", "1.00")}, {"Factur-X.xml", "", cii("B", "2.00")}}, "B", []bool{false},
		},
		"the newer standard first": {
			[]file{{"ZUGFeRD-invoice.xml", "Alternative", zugferd1("B", "2.00")}, {"factur-x.xml", "Data", cii("B", "2.00")}}, "B", []bool{true},
		},
		"the alternative first": {
			[]file{{"a.xml", "Supplement", ubl("A", "1.00")}, {"b.xml", "Alternative", ubl("B", "2.00")}}, "B", []bool{false},
		},
		"same number, other total": {
			[]file{{"xrechnung.xml", "Source", ubl("A", "1.00")}, {"b.xml", "", ubl("A", "1.50")}}, "A", []bool{false},
		},
		"an order and an invoice": {
			[]file{{"order-x.xml", "Alternative", orderX()}, {"b.xml", "", ubl("B", "2.00")}}, "B", nil,
		},
		"two others that differ": {
			[]file{{"factur-x.xml", "", cii("A", "1.00")}, {"b.xml", "", ubl("B", "2.00")}, {"c.xml", "", ubl("C", "3.00")}}, "A", []bool{false, false},
		},
	}
	p := open(t, extract.Options{})
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			b := pdftest.New()
			b.Page("", "")
			var specs []int
			for _, f := range c.files {
				specs = append(specs, b.Embed(f.name, f.relation, f.data))
			}
			b.Names(specs...)
			r, err := p.Read(t.Context(), store(t, b.Table()))
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Drafts[0].Content.Number; got != c.number {
				t.Errorf("picked %q, want %q", got, c.number)
			}
			var passed []bool
			for _, check := range r.Checks {
				if check.Rule != invoice.RuleSingleInvoice || check.Severity != invoice.Warning {
					t.Errorf("check = %+v", check)
				}
				passed = append(passed, check.Passed)
			}
			if !slices.Equal(passed, c.passed) {
				t.Errorf("checks = %+v, want passed %v", r.Checks, c.passed)
			}
		})
	}
}

// TestDamagedInvoiceUnderTheStandardName checks that the valid invoice is read and that the damaged
// one fails a check, because the recipient of factur-x.xml is meant to read it.
func TestDamagedInvoiceUnderTheStandardName(t *testing.T) {
	t.Parallel()
	data := pdftest.Hybrid("", []string{"factur-x.xml", "b.xml"}, []byte("<a>"), ubl("B", "2.00"))
	r, err := open(t, extract.Options{}).Read(t.Context(), store(t, data))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Drafts) != 1 || r.Drafts[0].Content.Number != "B" {
		t.Errorf("drafts %+v", r.Drafts)
	}
	if len(r.Checks) != 1 || r.Checks[0].Rule != invoice.RuleEmbeddedReadable || r.Checks[0].Severity != invoice.Blocking || r.Checks[0].Passed {
		t.Errorf("checks %+v", r.Checks)
	}
}

func TestSecondInvoiceIsReported(t *testing.T) {
	t.Parallel()
	data := pdftest.Hybrid("", []string{"factur-x.xml", "old.xml"}, cii("A", "1.00"), ubl("B", "2.00"))
	r, err := open(t, extract.Options{}).Read(t.Context(), store(t, data))
	if err != nil {
		t.Fatal(err)
	}
	want := invoice.Check{
		Rule: invoice.RuleSingleInvoice, Severity: invoice.Warning,
		Expected: "factur-x.xml: A, 1.00 EUR", Found: "old.xml: B, 2.00 EUR",
	}
	if len(r.Checks) != 1 || r.Checks[0] != want {
		t.Errorf("checks = %+v", r.Checks)
	}
}

func TestTooLargeXML(t *testing.T) {
	t.Parallel()
	_, err := open(t, extract.Options{XMLBytes: 100}).Read(t.Context(), store(t, ubl("A", "1.00")))
	wantFailure(t, err, "too_large")
}

func TestMissingFileIsNotADocumentFailure(t *testing.T) {
	t.Parallel()
	_, err := open(t, extract.Options{}).Read(t.Context(), extraction.Source{Path: filepath.Join(t.TempDir(), "none")})
	var failure *extraction.Failure
	if !errors.Is(err, os.ErrNotExist) || errors.As(err, &failure) {
		t.Errorf("error = %v", err)
	}
}

func TestCanceledExtraction(t *testing.T) {
	t.Parallel()
	p := open(t, extract.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, data := range [][]byte{pdftest.Hybrid("", nil), ubl("A", "1.00")} {
		if _, err := p.Read(ctx, store(t, data)); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v, want canceled", err)
		}
	}
}

func TestConcurrentExtractions(t *testing.T) {
	t.Parallel()
	p := open(t, extract.Options{Children: 2})
	var wg sync.WaitGroup
	for i := range 60 {
		number := fmt.Sprintf("N-%d", i)
		data := ubl(number, "5.00")
		if i%2 == 0 {
			data = pdftest.Hybrid("", []string{"factur-x.xml"}, cii(number, "5.00"))
		}
		source := store(t, data)
		wg.Go(func() {
			r, err := p.Read(t.Context(), source)
			if err != nil || r.Drafts[0].Content.Number != number {
				t.Errorf("%s: %+v, %v", number, r, err)
			}
		})
	}
	wg.Wait()
}
