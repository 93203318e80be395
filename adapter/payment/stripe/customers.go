package stripe

import (
	"context"
	"slices"
	"strconv"
	"time"

	"docledger/domain/billing"

	"github.com/google/uuid"
	sdk "github.com/stripe/stripe-go/v79"
)

// Customers implements billing.Customers.
type Customers struct{ api *resources }

var _ billing.Customers = Customers{}

// Create implements billing.Customers. Update sets name and address: they may differ in a retry,
// and a different request would invalidate the idempotency key.
func (c Customers) Create(ctx context.Context, key string, organization uuid.UUID) (billing.Customer, error) {
	const doing = "create customer"
	params := &sdk.CustomerParams{Metadata: map[string]string{billing.MetadataOrganization: organization.String()}}
	params.Context = ctx
	params.SetIdempotencyKey(key)
	got, err := c.api.Customers.New(params)
	return customerAnswer(ctx, doing, got, err)
}

// OfOrganization implements billing.Customers.
func (c Customers) OfOrganization(ctx context.Context, organization uuid.UUID) ([]billing.Customer, error) {
	params := &sdk.CustomerSearchParams{}
	params.Context = ctx
	params.Query = "metadata['" + billing.MetadataOrganization + "']:" + strconv.Quote(organization.String())
	params.Limit = sdk.Int64(pageSize)
	var found []billing.Customer
	pages := c.api.Customers.Search(params)
	for pages.Next() {
		if got := pages.Customer(); !got.Deleted && got.Metadata[billing.MetadataOrganization] == organization.String() {
			found = append(found, customer(got))
		}
	}
	if err := pages.Err(); err != nil {
		return nil, translate(ctx, "search customers", "customer", err)
	}
	slices.SortStableFunc(found, func(a, b billing.Customer) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return found, nil
}

// ByID implements billing.Customers.
func (c Customers) ByID(ctx context.Context, id string) (billing.Customer, error) {
	params := &sdk.CustomerParams{}
	params.Context = ctx
	got, err := c.api.Customers.Get(id, params)
	return customerAnswer(ctx, "read customer", got, err)
}

// Update implements billing.Customers.
func (c Customers) Update(ctx context.Context, in billing.Customer) (billing.Customer, error) {
	params := &sdk.CustomerParams{}
	params.Context = ctx
	if in.OrganizationID != uuid.Nil {
		params.Metadata = map[string]string{billing.MetadataOrganization: in.OrganizationID.String()}
	}
	if in.Name != "" {
		params.Name = sdk.String(in.Name)
	}
	if in.Email != "" {
		params.Email = sdk.String(in.Email)
	}
	got, err := c.api.Customers.Update(in.ID, params)
	return customerAnswer(ctx, "update customer", got, err)
}

func customerAnswer(ctx context.Context, doing string, got *sdk.Customer, err error) (billing.Customer, error) {
	switch {
	case err != nil:
		return billing.Customer{}, translate(ctx, doing, "customer", err)
	case got.ID == "":
		return billing.Customer{}, malformed(doing)
	case got.Deleted:
		return billing.Customer{}, missing("customer").WithCause(billing.ErrDeleted)
	}
	return customer(got), nil
}

func customer(c *sdk.Customer) billing.Customer {
	organization, err := uuid.Parse(c.Metadata[billing.MetadataOrganization])
	if err != nil {
		organization = uuid.Nil // created manually or by another system
	}
	return billing.Customer{
		ID: c.ID, OrganizationID: organization, Name: c.Name, Email: c.Email, CreatedAt: moment(c.Created),
	}
}

// moment converts a time of the processor; 0 means none.
func moment(unix int64) time.Time {
	if unix == 0 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}
