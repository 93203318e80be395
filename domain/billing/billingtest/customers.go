package billingtest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"

	"github.com/google/uuid"
)

func testCustomerOnce(t *testing.T, b bundle) {
	ctx, organization := context.Background(), uuid.New()
	key := billing.CustomerKey(organization, "")
	first := must[billing.Customer](t)(b.Customers.Create(ctx, key, organization))
	if first.ID == "" || first.OrganizationID != organization || !first.CreatedAt.Equal(b.Now()) {
		t.Errorf("created %+v", first)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			again, err := b.Customers.Create(ctx, key, organization)
			if err != nil || again.ID != first.ID {
				t.Errorf("again: %+v (%v)", again, err)
			}
		})
	}
	wg.Wait()
	if n := b.CountCustomers(); n != 1 {
		t.Errorf("%d customers", n)
	}
	if _, err := b.Customers.Create(ctx, key, uuid.New()); !errors.Is(err, billing.ErrKeyReused) {
		t.Errorf("the key for another organization: %v", err)
	}
	b.Advance(25 * time.Hour)
	later := must[billing.Customer](t)(b.Customers.Create(ctx, key, organization))
	if later.ID == first.ID {
		t.Error("the key never expires; the contract states 24 hours")
	}
}

func testCustomerLostAnswer(t *testing.T, b bundle) {
	ctx := context.Background()
	for _, f := range []Failure{AnswerLost, NonsenseLost, Dropped, Status500} {
		organization, before := uuid.New(), b.CountCustomers()
		b.Break(CallCreateCustomer, f, 1)
		_, err := b.Customers.Create(ctx, billing.CustomerKey(organization, ""), organization)
		wantCode(t, err, fault.CodeProviderUnavailable)
		got := must[billing.Customer](t)(b.Customers.Create(ctx, billing.CustomerKey(organization, ""), organization))
		if n := b.CountCustomers() - before; n != 1 || got.OrganizationID != organization {
			t.Errorf("%s: %d customers, %+v", f, n, got)
		}
	}
}

func testCustomerFound(t *testing.T, b bundle) {
	ctx := context.Background()
	other, mine := b.newCustomer(t), b.newCustomer(t)
	b.Advance(2 * time.Hour)
	found := must[[]billing.Customer](t)(b.Customers.OfOrganization(ctx, mine.OrganizationID))
	if len(found) != 1 || found[0] != mine {
		t.Errorf("found %+v, want %+v", found, mine)
	}
	if found := must[[]billing.Customer](t)(b.Customers.OfOrganization(ctx, uuid.New())); len(found) != 0 {
		t.Errorf("found %+v for an unknown organization", found)
	}
	second := must[billing.Customer](t)(b.Customers.Create(ctx, "another key", mine.OrganizationID))
	b.Advance(2 * time.Hour)
	found = must[[]billing.Customer](t)(b.Customers.OfOrganization(ctx, mine.OrganizationID))
	if len(found) != 2 || found[0].ID != mine.ID || found[1].ID != second.ID {
		t.Errorf("found %+v, want the older one first", found)
	}
	b.DeleteCustomer(other.ID)
	b.Advance(2 * time.Hour)
	if found := must[[]billing.Customer](t)(b.Customers.OfOrganization(ctx, other.OrganizationID)); len(found) != 0 {
		t.Errorf("found the deleted %+v", found)
	}
}

func testCustomerUpdated(t *testing.T, b bundle) {
	ctx := context.Background()
	c := b.newCustomer(t)
	c.Name, c.Email = "Zażółć & Söhne [GmbH]", "billing+test@example.com"
	if got := must[billing.Customer](t)(b.Customers.Update(ctx, c)); got != c {
		t.Errorf("updated to %+v, want %+v", got, c)
	}
	moved := uuid.New()
	must[billing.Customer](t)(b.Customers.Update(ctx, billing.Customer{ID: c.ID, OrganizationID: moved}))
	c.OrganizationID = moved
	if got := must[billing.Customer](t)(b.Customers.ByID(ctx, c.ID)); got != c {
		t.Errorf("after an update without a name: %+v, want %+v", got, c)
	}
}

func testCustomerDeleted(t *testing.T, b bundle) {
	ctx := context.Background()
	c := b.newCustomer(t)
	b.DeleteCustomer(c.ID)
	for _, id := range []string{c.ID, "cus_nobody"} {
		_, err := b.Customers.ByID(ctx, id)
		wantCode(t, err, fault.CodeNotFound)
		if errors.Is(err, billing.ErrDeleted) != (id == c.ID) {
			t.Errorf("%s: %v", id, err)
		}
		_, err = b.Customers.Update(ctx, billing.Customer{ID: id, Name: "x"})
		wantCode(t, err, fault.CodeNotFound)
	}
}
