package moving

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"docledger/test/lib/harness"
)

// TestDumpWhileUsed makes dumps while documents are uploaded and extracted.
// Each dump is consistent: it contains everything that it references.
func TestDumpWhileUsed(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]harness.Options{"sqlite": embedded(t), "postgres": served(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := harness.Start(t, source)
			org := s.NewOrganization("Busy")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			started := make(chan struct{}, 1000)
			var uploads sync.WaitGroup
			for who := range 3 {
				uploads.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						number := fmt.Sprintf("%d-%d", who, n)
						s.Upload(org.Admin.Token, org.Entity, number+".xml", harness.UBL(number)).OK()
						select {
						case started <- struct{}{}:
						default:
						}
					}
				})
			}
			last := int64(0)
			for range 3 {
				for range 5 { // some are new since the last dump
					<-started
				}
				file, sums := dump(t, source)
				if sums.Files.Files <= last {
					t.Errorf("%d files after %d", sums.Files.Files, last)
				}
				last = sums.Files.Files
				if _, err := load(t, embedded(t), file); err != nil {
					t.Error(err)
				}
			}
			cancel()
			uploads.Wait()
		})
	}
}
