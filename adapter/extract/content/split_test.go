package content

import (
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/domain/extraction"
)

// TestOneInvoiceIsReadOnce checks that a file which is not split is not read a second time.
func TestOneInvoiceIsReadOnce(t *testing.T) {
	t.Parallel()
	pages := []layout.Page{{Number: 1}, {Number: 2}}
	for n := 1; n <= len(pages); n++ {
		reads := 0
		drafts, err := several(pages[:n], func(got []layout.Page) (*extraction.Draft, error) {
			if reads++; len(got) != n {
				t.Errorf("%d pages were read together, want %d", len(got), n)
			}
			return &extraction.Draft{}, nil
		})
		if err != nil || len(drafts) != 1 || drafts[0].Pages != nil || reads != 1 {
			t.Errorf("%d pages: %d drafts after %d reads, %v; want one draft without a range after one read", n, len(drafts), reads, err)
		}
	}
}
