package xero_test

import (
	"context"
	"testing"

	"docledger/adapter/sim/kit"
	"docledger/domain/accounting"
	"docledger/domain/fault"
)

// TestReadRefused checks that a refused read has the provider's own words.
func TestReadRefused(t *testing.T) {
	t.Parallel()
	c, w := open(t, nil)
	at := w.entered(c)
	w.must(w.sim.Kit.Inject(kit.Fault{Match: "GET /api.xro/2.0/Accounts", Times: 1, Action: "status:400"}))
	_, err := c.Accounts(context.Background(), at, accounting.ClassFilter{})
	f, ok := fault.As(err)
	if !ok || f.Code != fault.CodeProviderRefused || f.Provider().Message == "" {
		t.Errorf("the fault is %+v (%v)", f, err)
	}
}
