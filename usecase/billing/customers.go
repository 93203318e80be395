package billing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

const (
	// customerLease bounds one attempt to make a customer, calls included.
	customerLease = 20 * time.Second
	// customerPause is between looks whether another caller has made it.
	customerPause = 50 * time.Millisecond
)

// Customers keeps exactly one payment customer for each organization.
type Customers struct {
	Organizations organization.Repository
	Processor     billing.Customers
	Leases        usecase.Leases
	Clock         usecase.Clock
	IDs           usecase.IDs
	Log           *slog.Logger
}

// Ensure returns the organization's payment customer and makes it where there
// is none. However many ask at once, from however many processes, one is made:
// one caller at a time under a lease, a key that depends on the organization
// alone, and a search for what an earlier attempt made whose answer was lost.
func (c *Customers) Ensure(ctx context.Context, id uuid.UUID) (string, error) {
	owner := c.IDs.New().String()
	for {
		o, err := c.Organizations.ByID(ctx, id)
		if err != nil {
			return "", fmt.Errorf("find organization: %w", err)
		}
		if o.PaymentCustomerID != "" {
			return o.PaymentCustomerID, nil
		}
		lease, ok, err := c.Leases.Acquire(ctx, "payment-customer:"+id.String(), owner, c.Clock.Now(), customerLease)
		if err != nil {
			return "", fmt.Errorf("take the lease: %w", err)
		}
		if ok {
			return c.make(ctx, id, lease)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(customerPause):
		}
	}
}

func (c *Customers) make(ctx context.Context, id uuid.UUID, lease usecase.Lease) (customer string, err error) {
	defer func() {
		if released := c.Leases.Release(context.WithoutCancel(ctx), lease); err == nil {
			err = released
		}
	}()
	// The one before may have ended between our look and our lease.
	o, err := c.Organizations.ByID(ctx, id)
	if err != nil || o.PaymentCustomerID != "" {
		return nameOf(o), err
	}
	calls, cancel := context.WithTimeout(ctx, customerLease-customerLease/4)
	defer cancel()
	found, err := c.Processor.OfOrganization(calls, id)
	if err != nil {
		return "", fmt.Errorf("look for the customer: %w", err)
	}
	var made billing.Customer
	if len(found) > 0 {
		made = found[0]
	} else {
		made, err = billing.Anew(billing.CustomerKey(id), c.Clock.Now(), func(key string) (billing.Customer, error) {
			return c.Processor.Create(calls, key, id)
		})
		if err != nil {
			return "", fmt.Errorf("create the customer: %w", err)
		}
	}
	o, err = c.Organizations.Update(ctx, id, func(o *organization.Organization) error {
		return o.SetPaymentCustomer(made.ID, c.Clock.Now())
	})
	if fault.CodeOf(err) == fault.CodeInvalidRequest {
		c.Log.ErrorContext(ctx, "payment customer refused: its id is too long", "organization", id, "length", len(made.ID))
	}
	if err != nil {
		return "", fmt.Errorf("keep the customer: %w", err)
	}
	return c.describe(ctx, o)
}

func nameOf(o *organization.Organization) string {
	if o == nil {
		return ""
	}
	return o.PaymentCustomerID
}

// describe gives a new customer the organization's name, which may change and
// so is no part of what its key was used with.
func (c *Customers) describe(ctx context.Context, o *organization.Organization) (string, error) {
	_, err := c.Processor.Update(ctx, billing.Customer{ID: o.PaymentCustomerID, OrganizationID: o.ID, Name: o.Name})
	if err != nil {
		// The customer stands; its name follows with the next upsert.
		c.Log.WarnContext(ctx, "payment customer not named yet", "organization", o.ID, "error", err)
	}
	return o.PaymentCustomerID, nil
}

// Upsert makes sure that the customer exists and carries the organization's
// present name.
func (c *Customers) Upsert(ctx context.Context, id uuid.UUID) error {
	customer, err := c.Ensure(ctx, id)
	if err != nil {
		return err
	}
	o, err := c.Organizations.ByID(ctx, id)
	if err != nil {
		return fmt.Errorf("find organization: %w", err)
	}
	if _, err := c.Processor.Update(ctx, billing.Customer{ID: customer, OrganizationID: id, Name: o.Name}); err != nil {
		return fmt.Errorf("update the customer: %w", err)
	}
	return nil
}
