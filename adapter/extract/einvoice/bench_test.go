package einvoice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docledger/adapter/extract/einvoice"
	"docledger/domain/invoice"
)

// BenchmarkSamples parses and checks each sample.
func BenchmarkSamples(b *testing.B) {
	samples, err := filepath.Glob("testdata/*.xml")
	if err != nil || len(samples) == 0 {
		b.Fatalf("no samples: %v", err)
	}
	for _, path := range samples {
		data, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strings.TrimSuffix(filepath.Base(path), ".xml"), func(b *testing.B) { benchmark(b, data) })
	}
}

// BenchmarkMegabyte parses about one megabyte of lines.
func BenchmarkMegabyte(b *testing.B) {
	var lines strings.Builder
	for i := 0; lines.Len() < 1<<20; i++ {
		fmt.Fprintf(&lines, `<cac:InvoiceLine><cbc:ID>%d</cbc:ID><cbc:InvoicedQuantity unitCode="C62">2</cbc:InvoicedQuantity><cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount>
<cac:Item><cbc:Name>Widget &amp; bolt %d</cbc:Name><cac:ClassifiedTaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>19</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory></cac:Item>
<cac:Price><cbc:PriceAmount currencyID="EUR">50.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
`, i, i)
	}
	benchmark(b, []byte(ublWith("</Invoice>", lines.String()+"</Invoice>")))
}

// BenchmarkAttachment parses an invoice with an embedded file of 8 MiB.
func BenchmarkAttachment(b *testing.B) {
	file := `<cac:AdditionalDocumentReference><cbc:ID>f</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="application/pdf" filename="f.pdf">` +
		strings.Repeat("JVBERi0x", 1<<20) + `</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`
	benchmark(b, []byte(ublWith("</Invoice>", file+"</Invoice>")))
}

func benchmark(b *testing.B, data []byte) {
	b.Helper()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		found, err := einvoice.Parse(b.Context(), data)
		if err != nil {
			b.Fatal(err)
		}
		for _, d := range found.Drafts {
			invoice.RunChecks(d.Content, d.Fields, invoice.CheckContext{Now: now, EntityNames: []string{"Company"}})
		}
	}
}
