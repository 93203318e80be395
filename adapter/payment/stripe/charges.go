package stripe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"

	sdk "github.com/stripe/stripe-go/v79"
)

// These are the metadata keys of invoices that docledger creates.
const (
	metaPurpose      = "purpose"
	metaSubscription = "subscription_id"
	metaMonth        = "month"

	purposeCharge = "immediate_charge"
)

// Charges implements billing.Charges.
type Charges struct{ api *resources }

var _ billing.Charges = Charges{}

// Find implements billing.Charges.
func (c Charges) Find(ctx context.Context, charge billing.Charge, since time.Time) ([]billing.ProcessorInvoice, error) {
	params := &sdk.InvoiceListParams{
		Customer:     sdk.String(charge.Customer),
		CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: since.Unix()},
	}
	params.Context = ctx
	params.Limit = sdk.Int64(pageSize)
	var found []billing.ProcessorInvoice
	pages := c.api.Invoices.List(params)
	for pages.Next() {
		got := pages.Invoice()
		if m := got.Metadata; m[metaPurpose] == purposeCharge && m[metaSubscription] == charge.Subscription && m[metaMonth] == charge.Month {
			found = append(found, invoice(got))
		}
	}
	slices.Reverse(found)
	return found, translate(ctx, "list invoices", "customer", pages.Err())
}

// Draft implements billing.Charges.
func (c Charges) Draft(ctx context.Context, key string, in billing.ChargeInvoice) (billing.ProcessorInvoice, error) {
	params := &sdk.InvoiceParams{
		Customer:                    sdk.String(in.Charge.Customer),
		Currency:                    sdk.String(strings.ToLower(in.Currency)),
		CollectionMethod:            sdk.String(string(sdk.InvoiceCollectionMethodChargeAutomatically)),
		AutoAdvance:                 sdk.Bool(false), // otherwise the processor would finalize the invoice without its item
		PendingInvoiceItemsBehavior: sdk.String("exclude"),
		Metadata: map[string]string{
			billing.MetadataOrganization: in.Charge.Organization.String(),
			metaPurpose:                  purposeCharge,
			metaSubscription:             in.Charge.Subscription,
			metaMonth:                    in.Charge.Month,
		},
	}
	switch { // automatic tax and rates exclude each other
	case in.AutomaticTax:
		params.AutomaticTax = &sdk.InvoiceAutomaticTaxParams{Enabled: sdk.Bool(true)}
	case len(in.TaxRates) > 0:
		params.DefaultTaxRates = sdk.StringSlice(in.TaxRates)
	}
	switch {
	case in.PaymentMethod == "":
	case strings.HasPrefix(in.PaymentMethod, "pm_"):
		params.DefaultPaymentMethod = sdk.String(in.PaymentMethod)
	default:
		params.DefaultSource = sdk.String(in.PaymentMethod)
	}
	params.Context = ctx
	params.SetIdempotencyKey(key)
	got, err := c.api.Invoices.New(params)
	return invoiceAnswer(ctx, "create invoice", got, err)
}

// AddItem implements billing.Charges. It states the price by value, because an invoice item refuses
// a recurring price.
func (c Charges) AddItem(ctx context.Context, key, id string, item billing.ChargeItem) error {
	const doing = "add invoice item"
	if item.Price.Amount == nil {
		return fmt.Errorf("%s: price %s has no single amount", doing, item.Price.ID)
	}
	unit := sdk.Currency(strings.ToLower(item.Price.Currency))
	data := &sdk.InvoiceItemPriceDataParams{
		Currency: sdk.String(string(unit)),
		Product:  sdk.String(item.Price.Product),
	}
	if item.Price.TaxBehaviour != "" {
		data.TaxBehavior = sdk.String(item.Price.TaxBehaviour)
	}
	if n, exact, whole := units(*item.Price.Amount, unit); whole {
		data.UnitAmount = sdk.Int64(n)
	} else {
		data.UnitAmountDecimal = sdk.Float64(exact)
	}
	params := &sdk.InvoiceItemParams{
		Customer:    sdk.String(item.Charge.Customer),
		Invoice:     sdk.String(id),
		PriceData:   data,
		Quantity:    sdk.Int64(item.Quantity),
		Description: sdk.String(item.Description),
		Period:      &sdk.InvoiceItemPeriodParams{Start: sdk.Int64(item.From.Unix()), End: sdk.Int64(item.Until.Unix())},
		Metadata:    map[string]string{metaPurpose: purposeCharge, billing.MetadataPrice: item.Price.ID},
	}
	params.Context = ctx
	params.SetIdempotencyKey(key)
	got, err := c.api.InvoiceItems.New(params)
	if err != nil {
		return translate(ctx, doing, "invoice, customer or product", err)
	}
	if got.ID == "" {
		return malformed(doing)
	}
	return nil
}

// Finalize implements billing.Charges. It refuses an empty draft, which the processor would mark as
// paid at once.
func (c Charges) Finalize(ctx context.Context, key, id string) (billing.ProcessorInvoice, error) {
	const doing = "finalize invoice"
	before, err := c.read(ctx, id)
	if err != nil || before.Status != billing.InvoiceDraft {
		return before, err
	}
	if before.Items == 0 {
		return before, fault.New(fault.Conflict, fault.CodeConflict, "The invoice has no item yet. Add an item first.")
	}
	params := &sdk.InvoiceFinalizeInvoiceParams{AutoAdvance: sdk.Bool(true)}
	params.Context = ctx
	params.SetIdempotencyKey(key)
	got, err := c.api.Invoices.FinalizeInvoice(id, params)
	if refused(err) {
		if now, again := c.read(ctx, id); again == nil && now.Status != billing.InvoiceDraft {
			return now, nil // another caller finalized it first
		}
	}
	return invoiceAnswer(ctx, doing, got, err)
}

// Pay implements billing.Charges.
func (c Charges) Pay(ctx context.Context, key, id string) (billing.Payment, error) {
	params := &sdk.InvoicePayParams{OffSession: sdk.Bool(true)}
	params.Context = ctx
	params.SetIdempotencyKey(key)
	got, err := c.api.Invoices.Pay(id, params)
	if outcome, reason := declined(err); outcome != "" {
		now, err := c.read(ctx, id)
		if now.Status == billing.InvoicePaid { // the customer paid on the invoice's page meanwhile
			outcome, reason = billing.Paid, ""
		}
		return billing.Payment{Outcome: outcome, Reason: reason, Invoice: now}, err
	}
	if refused(err) {
		return c.explain(ctx, id, err)
	}
	paid, err := invoiceAnswer(ctx, "pay invoice", got, err)
	if err != nil {
		return billing.Payment{}, err
	}
	outcome := billing.Processing
	if paid.Status == billing.InvoicePaid {
		outcome = billing.Paid
	}
	return billing.Payment{Outcome: outcome, Invoice: paid}, nil
}

// declined returns the payment outcome of an error that is an expected decline.
func declined(err error) (outcome billing.PaymentOutcome, reason string) {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return "", ""
	}
	reason = string(e.DeclineCode)
	if reason == "" {
		reason = string(e.Code)
	}
	switch {
	case e.Code == sdk.ErrorCodeInvoicePaymentIntentRequiresAction, e.Code == sdk.ErrorCodeAuthenticationRequired:
		return billing.ActionRequired, reason
	case e.Type == sdk.ErrorTypeCard:
		return billing.Declined, reason
	}
	return "", ""
}

// refused reports whether the processor understood a call and refused it.
func refused(err error) bool {
	var e *sdk.Error
	return errors.As(err, &e) && e.HTTPStatusCode == 400 && e.Type == sdk.ErrorTypeInvalidRequest
}

// explain determines why a payment was refused. The processor gives the reason only as prose, so
// explain reads the invoice and its customer.
func (c Charges) explain(ctx context.Context, id string, refusal error) (billing.Payment, error) {
	const doing = "pay invoice"
	params := &sdk.InvoiceParams{}
	params.Context = ctx
	params.AddExpand("customer")
	got, err := c.api.Invoices.Get(id, params)
	now, err := invoiceAnswer(ctx, doing, got, err)
	if err != nil {
		return billing.Payment{}, err
	}
	switch now.Status {
	case billing.InvoicePaid:
		return billing.Payment{Outcome: billing.Paid, Invoice: now}, nil
	case billing.InvoiceVoid, billing.InvoiceUncollectible:
		return billing.Payment{}, fault.New(fault.Conflict, fault.CodeConflict, "The invoice is %s.", now.Status)
	case billing.InvoiceOpen:
		if got.DefaultPaymentMethod == nil && got.DefaultSource == nil && got.Customer != nil && customerPaymentMethod(got.Customer) == "" {
			return billing.Payment{Outcome: billing.NoPaymentMethod, Invoice: now}, nil
		}
	}
	return billing.Payment{}, translate(ctx, doing, "invoice", refusal)
}

func (c Charges) read(ctx context.Context, id string) (billing.ProcessorInvoice, error) {
	params := &sdk.InvoiceParams{}
	params.Context = ctx
	got, err := c.api.Invoices.Get(id, params)
	return invoiceAnswer(ctx, "read invoice", got, err)
}

func invoiceAnswer(ctx context.Context, doing string, got *sdk.Invoice, err error) (billing.ProcessorInvoice, error) {
	if err != nil {
		return billing.ProcessorInvoice{}, translate(ctx, doing, "invoice", err)
	}
	if got.ID == "" || got.Status == "" {
		return billing.ProcessorInvoice{}, malformed(doing)
	}
	return invoice(got), nil
}

func invoice(i *sdk.Invoice) billing.ProcessorInvoice {
	out := billing.ProcessorInvoice{
		ID: i.ID, Status: billing.InvoiceStatus(i.Status), Currency: currency(i.Currency),
		Total: amount(i.Total, i.Currency), AmountPaid: amount(i.AmountPaid, i.Currency),
		PaymentURL: i.HostedInvoiceURL, CreatedAt: moment(i.Created),
	}
	if i.Lines != nil {
		out.Items = len(i.Lines.Data)
	}
	return out
}
