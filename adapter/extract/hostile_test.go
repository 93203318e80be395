//go:build !race

package extract_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract"
	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/signed/signedtest"
	"docledger/domain/extraction"
	"docledger/test/lib/cputime"
)

// The maximum cost of one document with any content.
const (
	mostCPU    = 2 * time.Second
	mostMemory = (480 + 32) << 20 // of a child, including the one that compiles the engine
	mostGrowth = 64 << 20         // of the parent
)

// items are content that a document may repeat thousands of times.
var items = map[string]func(i int) string{
	"amounts": func(i int) string { return fmt.Sprintf("Invoice total %d.%02d EUR 19 %% VAT net gross IBAN", i, i%100) },
	"figures": func(i int) string { return fmt.Sprintf("%d.%02d", i, i%100) },
	"labels": func(i int) string {
		return []string{"Invoice number", "Invoice date", "Total due", "VAT", "Subtotal", "Bill to", "Seller", "Due date"}[i%8]
	},
	"dates":    func(i int) string { return fmt.Sprintf("Date %02d.%02d.20%02d", i%28+1, i%12+1, i%90+10) },
	"tax ids":  func(i int) string { return fmt.Sprintf("VAT ID DE%09d", i*7919) },
	"names":    func(i int) string { return fmt.Sprintf("Company %d GmbH, 10115 Berlin, Street %d", i, i) },
	"numbers":  func(i int) string { return fmt.Sprintf("Invoice no. RE-%06d", i) },
	"articles": func(i int) string { return fmt.Sprintf("%d Article %d 2 %d.00 %d.00", i, i, i, 2*i) },
}

// arrangements return the position of the i-th item on a page.
var arrangements = map[string]func(r *rand.Rand, i int) (x, y int){
	"scattered": func(r *rand.Rand, _ int) (int, int) { return 1 + r.IntN(500), 1 + r.IntN(780) },
	"in lines":  func(_ *rand.Rand, i int) (int, int) { return 40, 790 - i%790 },
	"in cells":  func(_ *rand.Rand, i int) (int, int) { return 10 + 100*(i%6), 780 - 9*(i/6%86) },
	"in a row":  func(_ *rand.Rand, i int) (int, int) { return 5 + 40*i, 400 },
}

// hostile prints n items, perPage on each page.
func hostile(n, perPage int, item func(int) string, place func(*rand.Rand, int) (int, int)) []byte {
	r := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // the documents are the same each time
	b := pdftest.New()
	font := b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	tree := b.Reserve()
	var kids strings.Builder
	pages := 0
	for from := 0; from < n; from += perPage {
		var text strings.Builder
		text.WriteString("BT /F1 6 Tf\n")
		for i := from; i < min(n, from+perPage); i++ {
			x, y := place(r, i-from)
			fmt.Fprintf(&text, "1 0 0 1 %d %d Tm (%s) Tj\n", x, y, item(i))
		}
		text.WriteString("ET")
		stream := b.Stream("/Filter /FlateDecode", pdftest.Deflate([]byte(text.String())))
		fmt.Fprintf(&kids, "%d 0 R ", b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 %d 0 R >> >> /Contents %d 0 R >>", tree, font, stream))
		pages++
	}
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), pages))
	b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
	return b.Table()
}

// hostileDocuments returns documents by their content.
func hostileDocuments(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for what, item := range items {
		for how, place := range arrangements {
			out["5,000 "+what+" "+how] = hostile(5000, 500, item, place)
		}
		out["2,000 "+what+" on one page"] = hostile(2000, 2000, item, arrangements["scattered"])
		out["5,000 "+what+" on one page"] = hostile(5000, 5000, item, arrangements["scattered"])
	}
	for _, what := range []string{"figures", "labels", "names"} {
		out["100,000 lines of "+what] = hostile(100_000, 400, items[what], arrangements["in lines"])
	}
	line := `<cac:InvoiceLine xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:ID>1</cbc:ID>
 <cbc:InvoicedQuantity>1</cbc:InvoicedQuantity><cbc:LineExtensionAmount>1.00</cbc:LineExtensionAmount></cac:InvoiceLine>`
	tax := `<cac:TaxTotal xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:TaxAmount currencyID="EUR">1.00</cbc:TaxAmount>
 <cac:TaxSubtotal><cbc:TaxableAmount>5.00</cbc:TaxableAmount><cbc:TaxAmount>1.00</cbc:TaxAmount></cac:TaxSubtotal></cac:TaxTotal>`
	for what, more := range map[string]string{
		"9,999 lines of XML": strings.Repeat(line, 9999), "100,000 lines of XML": strings.Repeat(line, 100_000),
		"5,000 taxes of XML": strings.Repeat(tax, 5000), "900,000 elements of XML": strings.Repeat("<a/>", 900_000),
	} {
		out[what] = []byte(strings.Replace(string(ubl("X-1", "1.00")), "</Invoice>", more+"</Invoice>", 1))
	}
	for what, inner := range map[string]string{"9,999 lines of XML": "9,999 lines of XML", "5,000 amounts": "5,000 amounts in lines"} {
		out["a signed envelope of "+what] = signedtest.Envelope(t, out[inner], "Mario Rossi", time.Unix(1_790_000_000, 0))
	}
	parts := strings.Repeat("\x04\x01a", 90_000)
	out["a signed envelope of 90,000 parts"] = signedtest.Around(t, append([]byte{0x24, 0x84, 0, 4, 0x1e, 0xb0}, parts...), "Mario Rossi", time.Unix(1_790_000_000, 0))
	out["a signed envelope of nested parts"] = signedtest.Around(t, bytes.Repeat([]byte{0x24, 0x80}, 100_000), "Mario Rossi", time.Unix(1_790_000_000, 0))
	return out
}

// costs extracts documents and measures the CPU time of the child processes. Documents share a
// child where the CPU time of a running child is known, because the start of a child takes longer
// than most of them.
type costs struct{ p *extract.Pipeline }

func (c *costs) read(t *testing.T, data []byte) (time.Duration, error) {
	t.Helper()
	source := store(t, data)
	if c.p == nil {
		c.p = extract.New(extract.Options{Children: 1})
	}
	before, shared := cputime.AllChildren()
	if !shared {
		before = cputime.Children()
	}
	_, err := c.p.Read(t.Context(), source)
	if shared {
		after, _ := cputime.AllChildren()
		return after - before, err
	}
	c.close(t)
	return cputime.Children() - before, err
}

func (c *costs) close(t *testing.T) {
	t.Helper()
	if c.p == nil {
		return
	}
	if err := c.p.Close(); err != nil {
		t.Fatal(err)
	}
	c.p = nil
}

// TestHostileContentIsBounded does not run in parallel, because it measures all child
// processes of this process.
func TestHostileContentIsBounded(t *testing.T) {
	prepared := extract.New(extract.Options{})
	if err := errors.Join(prepared.Prewarm(t.Context()), prepared.Close()); err != nil {
		t.Fatal(err)
	}
	var c costs
	for what, data := range hostileDocuments(t) {
		t.Run(what, func(t *testing.T) {
			took, err := c.read(t, data)
			var failure *extraction.Failure
			if err != nil && !errors.As(err, &failure) {
				t.Fatalf("error = %v, want a failure of the document", err)
			}
			t.Logf("%d bytes, CPU time %v, %v", len(data), took, err)
			if took > mostCPU {
				t.Errorf("the CPU time is %v, more than %v", took, mostCPU)
			}
		})
	}
	c.close(t)
	if peak := cputime.ChildrenPeak(); peak > mostMemory {
		t.Errorf("a child used %d MiB", peak>>20)
	}
}

// TestSlowAmounts runs the script of the shared cases, which states the expected
// result, or else the project's own equivalent.
func TestSlowAmounts(t *testing.T) {
	prepared := extract.New(extract.Options{})
	if err := errors.Join(prepared.Prewarm(t.Context()), prepared.Close()); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	documents := map[string][]byte{}
	for _, n := range []int{100, 500, 1000, 2000, 5000} {
		documents[fmt.Sprint("own ", n)] = pdftest.Amounts(n, 7)
	}
	script := filepath.Join("..", "..", "..", "shared", "cases", "safe", "slow-amounts.py")
	if python, err := exec.LookPath("python3"); err != nil {
		t.Log("PYTHON3 IS ABSENT: the script of the shared cases was not run, only its equivalent")
	} else if _, err := os.Stat(script); err != nil {
		t.Logf("THE SHARED CASES ARE ABSENT: %s was not run, only its equivalent", script)
	} else {
		dir := t.TempDir()
		if out, err := exec.Command(python, script, dir).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		paths, err := filepath.Glob(filepath.Join(dir, "slow-*.pdf"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s wrote no document: %v", script, err)
		}
		for _, path := range paths {
			if documents[filepath.Base(path)], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	var c costs
	for name, data := range documents {
		t.Run(name, func(t *testing.T) {
			took, err := c.read(t, data)
			var failure *extraction.Failure
			if err != nil && (!errors.As(err, &failure) || len(failure.Message) < 20) {
				t.Errorf("error = %v, want an invoice or a clear refusal", err)
			}
			if took > mostCPU {
				t.Errorf("the CPU time is %v, more than %v", took, mostCPU)
			}
		})
	}
	c.close(t)
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > mostGrowth {
		t.Errorf("the parent grew by %d MiB", grown>>20)
	}
	if peak := cputime.ChildrenPeak(); peak > mostMemory {
		t.Errorf("a child used %d MiB", peak>>20)
	}
}
