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
	return c.after(ctx, id, "")
}

// Replace returns the organization's payment customer after one that may have
// been deleted at the processor: another one where it was, made as by Ensure,
// and else the same.
func (c *Customers) Replace(ctx context.Context, id uuid.UUID, customer string) (string, error) {
	_, err := c.Processor.ByID(ctx, customer)
	if err == nil {
		return customer, nil
	}
	if !errors.Is(err, billing.ErrDeleted) {
		return "", fmt.Errorf("read the customer: %w", err)
	}
	c.Log.WarnContext(ctx, "payment customer was deleted at the processor; creating another", "organization", id, "customer", customer)
	return c.after(ctx, id, customer)
}

// after returns the organization's customer once it is another than gone.
func (c *Customers) after(ctx context.Context, id uuid.UUID, gone string) (string, error) {
	owner := c.IDs.New().String()
	for {
		o, err := c.Organizations.ByID(ctx, id)
		if err != nil {
			return "", fmt.Errorf("find organization: %w", err)
		}
		if o.PaymentCustomerID != gone {
			return o.PaymentCustomerID, nil
		}
		lease, ok, err := c.Leases.Acquire(ctx, "payment-customer:"+id.String(), owner, c.Clock.Now(), customerLease)
		if err != nil {
			return "", fmt.Errorf("take the lease: %w", err)
		}
		if ok {
			return c.make(ctx, id, gone, lease)
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(customerPause):
		}
	}
}

func (c *Customers) make(ctx context.Context, id uuid.UUID, gone string, lease usecase.Lease) (customer string, err error) {
	defer func() {
		if released := c.Leases.Release(context.WithoutCancel(ctx), lease); err == nil {
			err = released
		}
	}()
	// The one before may have ended between our look and our lease.
	o, err := c.Organizations.ByID(ctx, id)
	if err != nil || o.PaymentCustomerID != gone {
		return nameOf(o), err
	}
	calls, cancel := context.WithTimeout(ctx, customerLease-customerLease/4)
	defer cancel()
	found, err := c.Processor.OfOrganization(calls, id)
	if err != nil {
		return "", fmt.Errorf("look for the customer: %w", err)
	}
	// The processor's index may show for a while what is gone.
	found = slices.DeleteFunc(found, func(f billing.Customer) bool { return f.ID == gone })
	var made billing.Customer
	if len(found) > 0 {
		made = found[0]
	} else {
		made, err = billing.RetryWithFreshKey(billing.CustomerKey(id, gone), c.Clock.Now(), func(key string) (billing.Customer, error) {
			return c.Processor.Create(calls, key, id)
		})
		if err != nil {
			return "", fmt.Errorf("create the customer: %w", err)
		}
	}
	o, err = c.Organizations.Update(ctx, id, func(o *organization.Organization) error {
		return o.ReplacePaymentCustomer(gone, made.ID, c.Clock.Now())
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

// Upsert makes sure that the customer exists, at the processor too, and carries
// the organization's present name.
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
		if other, gone := c.Replace(ctx, id, customer); gone == nil && other != customer {
			return nil // which carries the name already
		}
	}
	if err != nil {
		return fmt.Errorf("update the customer: %w", err)
	}
	return nil
}
