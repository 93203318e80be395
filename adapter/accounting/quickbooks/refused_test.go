package quickbooks_test

import (
	"context"
	"testing"
	"time"

	sim "docledger/adapter/sim/quickbooks"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// TestReadRefused checks that a refused read has the provider's own words. The
// status of a refusal can be 200.
func TestReadRefused(t *testing.T) {
	t.Parallel()
	a := integration.Access{Token: secret.New("t"), Tenant: sim.VATCompany}
	const body = `{"Fault":{"Error":[{"Message":"m","Detail":"The query has an error.","code":"4000"}],"type":"ValidationFault"}}`
	for _, status := range []int{200, 400} {
		c := connector(t, fixedResponse(t, status, "application/json", body), time.Minute)
		_, err := c.Accounts(context.Background(), a, nil)
		f, ok := fault.As(err)
		if !ok || f.Code != fault.CodeProviderRefused || f.Provider().Message != "The query has an error." || f.Provider().Code != "4000" {
			t.Errorf("status %d: the fault is %+v (%v)", status, f, err)
		}
	}
}
