//go:build !race

package worker_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/pdf/pdftest"
	"docledger/adapter/extract/worker"
	"docledger/domain/extraction"
	"docledger/test/lib/cputime"
)

// FuzzTime checks that the time of a child process for a PDF that repeats any operators
// on its pages is proportional to the decoded content. It includes the engine, the rules
// for text and the transfer of the result.
func FuzzTime(f *testing.F) {
	for _, operators := range []string{
		"1 0 0 1 40 700 Tm (Invoice total 1.00 EUR 19 % VAT net gross IBAN) Tj",
		"0 -1 Td (VAT ID DE123456789) Tj", "(Invoice no. RE-1 ) Tj", "() Tj", "[(a) -250 (b)] TJ", "T*",
		"q 1 0 0 1 1 1 cm", "Q", "0 0 m 9 9 l S", "0 0 612 792 re W n", "1 0 0 1 1 1 cm", "/F1 6 Tf",
		"BI /W 1 /H 1 /CS /G /BPC 8 ID x EI", "/X Do", "((((", "<<<<", "[[[[", "1 2 3 4 5",
	} {
		f.Add(operators, uint16(1500), uint8(2))
	}
	pool := worker.New(worker.Config{Size: 1, Deadline: 10 * time.Minute})
	f.Cleanup(func() { pool.Close() }) //nolint:errcheck // it never fails
	if err := pool.Prewarm(f.Context()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, operators string, times uint16, pages uint8) {
		const most = 256 << 10 // bytes of content
		if len(operators) == 0 || len(operators) > 200 {
			return
		}
		n := min(int(times), most/(len(operators)+1))
		content := "BT /F1 6 Tf\n" + strings.Repeat(operators+"\n", n) + "ET"
		b := pdftest.New()
		font := b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
		tree := b.Reserve()
		stream := b.Stream("/Filter /FlateDecode", pdftest.Deflate([]byte(content)))
		form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", []byte("0 0 1 1 re f"))
		var kids strings.Builder
		count := int(min(max(pages, 1), 4))
		for range count {
			fmt.Fprintf(&kids, "%d 0 R ", b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 %d 0 R >> /XObject << /X %d 0 R >> >> /Contents %d 0 R >>", tree, font, form, stream))
		}
		b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), count))
		b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
		path := filepath.Join(t.TempDir(), "a.pdf")
		data := b.Table()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		child, before := pool.ProcessorTime()
		_, err := pool.PDF(t.Context(), worker.Document{Path: path, Size: int64(len(data)), Forced: true})
		var failure *extraction.Failure
		if err != nil && !errors.As(err, &failure) {
			t.Fatalf("error without a reason: %v", err)
		}
		if failure != nil && (failure.Reason == extraction.TimedOut || failure.Reason == extraction.Crashed) {
			t.Fatalf("the child ended: %v", err)
		}
		again, after := pool.ProcessorTime()
		size := count*len(content) + len(data)
		if limit := cputime.Limit(size); again == child && after-before > limit {
			t.Errorf("%d bytes took %v of the child's processor time, which is more than %v", size, after-before, limit)
		}
	})
}
