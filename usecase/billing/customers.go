package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

const (
	// customerLease limits one attempt to create a customer, including its calls.
	customerLease = 20 * time.Second
	// customerPollInterval is the delay between checks whether another caller has created
	// it.
	customerPollInterval = 50 * time.Millisecond
)

// Customers maintains exactly one payment customer for each organization.
type Customers struct {
	Organizations organization.Repository
	Processor     billing.Customers
	Leases        usecase.Leases
	Clock         usecase.Clock
	IDs           usecase.IDs
	Log           *slog.Logger
}

// Ensure returns the payment customer of the organization and creates it if there is
// none. Concurrent callers in any number of processes create only one. A lease admits
// one caller at a time. The idempotency key depends only on the organization. A
// search finds the customer of an earlier attempt with a lost response.
func (c *Customers) Ensure(ctx context.Context, id uuid.UUID) (string, error) {
	return c.after(ctx, id, "")
}

// EnsureAtRequest is Ensure for a billing request. It logs a warning if there is no
// customer, because the events of the identity provider create it before (interface 3).
func (c *Customers) EnsureAtRequest(ctx context.Context, id uuid.UUID) (string, error) {
	o, err := c.Organizations.ByID(ctx, id)
	if err != nil {
		return "", fmt.Errorf("find organization: %w", err)
	}
	if o.PaymentCustomerID != "" {
		return o.PaymentCustomerID, nil
	}
	c.Log.WarnContext(ctx, "organization without payment customer at a billing request, creating one", "organization", id)
	return c.Ensure(ctx, id)
}

// Replace returns a payment customer of the organization to use instead of customer,
// which may have been deleted at the processor. If it was deleted, Replace creates
// another one like Ensure. Otherwise it returns the same customer.
func (c *Customers) Replace(ctx context.Context, id uuid.UUID, customer string) (string, error) {
	_, err := c.Processor.ByID(ctx, customer)
	if err == nil {
		return customer, nil
	}
	if !errors.Is(err, billing.ErrDeleted) {
		return "", fmt.Errorf("read the customer: %w", err)
	}
	c.Log.WarnContext(ctx, "payment customer was deleted at the processor, creating another", "organization", id, "customer", customer)
	return c.after(ctx, id, customer)
}

// after returns the customer of the organization once it differs from deleted.
func (c *Customers) after(ctx context.Context, id uuid.UUID, deleted string) (string, error) {
	owner := c.IDs.New().String()
	for {
		o, err := c.Organizations.ByID(ctx, id)
		if err != nil {
			return "", fmt.Errorf("find organization: %w", err)
		}
		if o.PaymentCustomerID != deleted {
			return o.PaymentCustomerID, nil
		}
		lease, ok, err := c.Leases.Acquire(ctx, "payment-customer:"+id.String(), owner, c.Clock.Now(), customerLease)
		if err != nil {
			return "", fmt.Errorf("acquire the lease: %w", err)
		}
		if ok {
			return c.make(ctx, id, deleted, lease)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(customerPollInterval):
		}
	}
}

func (c *Customers) make(ctx context.Context, id uuid.UUID, deleted string, lease usecase.Lease) (customer string, err error) {
	defer func() {
		if released := c.Leases.Release(context.WithoutCancel(ctx), lease); err == nil {
			err = released
		}
	}()
	// The previous holder of the lease may have finished after the first lookup.
	o, err := c.Organizations.ByID(ctx, id)
	if err != nil || o.PaymentCustomerID != deleted {
		return nameOf(o), err
	}
	calls, cancel := context.WithTimeout(ctx, customerLease-customerLease/4)
	defer cancel()
	found, err := c.Processor.OfOrganization(calls, id)
	if err != nil {
		return "", fmt.Errorf("look for the customer: %w", err)
	}
	// The search index of the processor may still return deleted customers.
	found = slices.DeleteFunc(found, func(f billing.Customer) bool { return f.ID == deleted })
	var made billing.Customer
	if len(found) > 0 {
		made = found[0]
	} else {
		made, err = billing.RetryWithFreshKey(billing.CustomerKey(id, deleted), c.Clock.Now(), func(key string) (billing.Customer, error) {
			return c.Processor.Create(calls, key, id)
		})
		if err != nil {
			return "", fmt.Errorf("create the customer: %w", err)
		}
	}
	o, err = c.Organizations.Update(ctx, id, func(o *organization.Organization) error {
		return o.ReplacePaymentCustomer(deleted, made.ID, c.Clock.Now())
	})
	if fault.CodeOf(err) == fault.CodeInvalidRequest {
		c.Log.ErrorContext(ctx, "payment customer refused: its id is too long", "organization", id, "length", len(made.ID))
	}
	if err != nil {
		return "", fmt.Errorf("store the customer: %w", err)
	}
	return c.describe(ctx, o)
}

func nameOf(o *organization.Organization) string {
	if o == nil {
		return ""
	}
	return o.PaymentCustomerID
}

// describe gives a new customer the name of the organization. The name can change, so
// it is not part of the request with the idempotency key.
func (c *Customers) describe(ctx context.Context, o *organization.Organization) (string, error) {
	_, err := c.Processor.Update(ctx, billing.Customer{ID: o.PaymentCustomerID, OrganizationID: o.ID, Name: o.Name})
	if err != nil {
		// The customer exists. The next upsert sets its name.
		c.Log.WarnContext(ctx, "payment customer not named yet", "organization", o.ID, "error", err)
	}
	return o.PaymentCustomerID, nil
}

// Upsert ensures that the customer exists, also at the processor, and has the current
// name of the organization.
func (c *Customers) Upsert(ctx context.Context, id uuid.UUID) error {
	customer, err := c.Ensure(ctx, id)
	if err != nil {
		return err
	}
	o, err := c.Organizations.ByID(ctx, id)
	if err != nil {
		return fmt.Errorf("find organization: %w", err)
	}
	_, err = c.Processor.Update(ctx, billing.Customer{ID: customer, OrganizationID: id, Name: o.Name})
	if fault.CodeOf(err) == fault.CodeNotFound {
		if other, deleted := c.Replace(ctx, id, customer); deleted == nil && other != customer {
			return nil // which already has the name
		}
	}
	if err != nil {
		return fmt.Errorf("update the customer: %w", err)
	}
	return nil
}
