package quickbooks_test

import (
	"context"
	"testing"

	"docledger/adapter/sim/kit"
	sim "docledger/adapter/sim/quickbooks"
	"docledger/domain/accounting"
	"docledger/domain/fault"
)

// TestReadRefused checks that a refused read has the provider's own words.
func TestReadRefused(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	at := w.entered(c, sim.VATCompany)
	w.must(w.sim.Kit.Inject(kit.Fault{Match: "GET /v3/company/*/query", Times: 1, Action: "status:400"}))
	_, err := c.Accounts(context.Background(), at, accounting.ClassFilter{})
	f, ok := fault.As(err)
	if !ok || f.Code != fault.CodeProviderRefused || f.Provider().Message == "" {
		t.Errorf("the fault is %+v (%v)", f, err)
	}
}
