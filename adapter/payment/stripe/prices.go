package stripe

import (
	"context"
	"slices"

	"docledger/domain/billing"

	sdk "github.com/stripe/stripe-go/v79"
)

// Prices implements billing.Prices.
type Prices struct{ api *resources }

var _ billing.Prices = Prices{}

// ByID implements billing.Prices.
func (p Prices) ByID(ctx context.Context, id string) (billing.Price, error) {
	const doing = "read price"
	params := &sdk.PriceParams{}
	params.Context = ctx
	params.AddExpand("product")
	got, err := p.api.Prices.Get(id, params)
	if err != nil {
		return billing.Price{}, translate(ctx, doing, "price", err)
	}
	if got.ID == "" || got.Product == nil {
		return billing.Price{}, malformed(doing)
	}
	return price(got), nil
}

// OfProducts implements billing.Prices.
func (p Prices) OfProducts(ctx context.Context, products []string) ([]billing.Price, error) {
	var all []billing.Price
	for _, product := range products {
		found, err := p.ofProduct(ctx, product)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (p Prices) ofProduct(ctx context.Context, product string) ([]billing.Price, error) {
	params := &sdk.PriceListParams{Product: sdk.String(product)}
	params.Context = ctx
	params.Limit = sdk.Int64(pageSize)
	params.AddExpand("data.product")
	var found []billing.Price
	pages := p.api.Prices.List(params)
	for pages.Next() {
		found = append(found, price(pages.Price()))
	}
	err := translate(ctx, "list prices", "product", pages.Err())
	if isMissing(err) {
		return nil, nil
	}
	slices.Reverse(found)
	return found, err
}

func price(p *sdk.Price) billing.Price {
	out := billing.Price{
		ID: p.ID, LookupKey: p.LookupKey, Active: p.Active, Currency: currency(p.Currency),
		Amount: unitAmount(p), TaxBehaviour: string(p.TaxBehavior), Metadata: p.Metadata,
	}
	if p.Recurring != nil {
		out.Recurring = true
		out.Interval, out.IntervalCount = string(p.Recurring.Interval), int(p.Recurring.IntervalCount)
	}
	describe(&out, p.Product)
	return out
}

// describe adds the details of a price's product. A product that was not expanded has only its id.
func describe(p *billing.Price, product *sdk.Product) {
	if product == nil {
		return
	}
	p.Product = product.ID
	if product.Object == "" {
		return
	}
	p.ProductName, p.ProductMetadata = product.Name, product.Metadata
	p.Active = p.Active && product.Active && !product.Deleted
}
