package convert

import (
	"docledger/domain/invoice"
	"docledger/gen/backend"

	"github.com/oapi-codegen/nullable"
)

// Web returns URLs of pages in the web application; "" if there is none.
type Web string

func (w Web) page(kind, id string) nullable.Nullable[string] {
	if w == "" {
		return null[string]()
	}
	return value(string(w) + "/" + kind + "/" + id)
}

// ToAPIInvoice returns the invoice with all its lines.
func (w Web) ToAPIInvoice(inv *invoice.Invoice) backend.Invoice {
	return backend.Invoice{
		Id: inv.ID, DocumentId: inv.DocumentID, EntityId: inv.EntityID, OrganizationId: inv.OrganizationID,
		Status: string(inv.Status), DocumentType: string(inv.Type),
		InvoiceNumber: orNull(inv.Number), IssueDate: date(inv.IssueDate), DueDate: date(inv.DueDate),
		DeliveryDate: date(inv.DeliveryDate), PostingDate: date(inv.PostingDate),
		Currency: orNull(inv.Currency), TaxCurrency: orNull(inv.TaxCurrency),
		Seller: toAPIParty(inv.Seller), Buyer: toAPIParty(inv.Buyer),
		PurchaseOrder: orNull(inv.PurchaseOrder), Payment: toAPIPayment(inv.Payment), BillingPeriod: toAPIPeriod(inv.BillingPeriod),
		PrecedingInvoices: list(inv.PrecedingInvoices, toAPIReference),
		Lines:             list(inv.Lines, ToAPILine), LinesTotal: inv.LinesTotal,
		Taxes: list(inv.Taxes, toAPITax), Allowances: allowances(inv.AllowancesCharges, false), Charges: allowances(inv.AllowancesCharges, true),
		NetTotal: decimal(inv.NetTotal), TaxTotal: decimal(inv.TaxTotal), TaxTotalInTaxCurrency: decimal(inv.TaxTotalInTaxCurrency),
		GrossTotal: decimal(inv.GrossTotal), PrepaidTotal: decimal(inv.PrepaidTotal), WithheldTotal: decimal(inv.WithheldTotal),
		PayableRounding: decimal(inv.PayableRounding), AmountDue: decimal(inv.AmountDue),
		Checks: list(inv.Checks, toAPICheck), Duplicates: list(inv.Duplicates, toAPIDuplicate),
		Fields: ToAPIEvidence(inv.Fields), Extraction: toAPIExtraction(inv.Extraction),
		SupplierId: orNull(inv.SupplierID), ContactId: orNull(inv.ContactID), ExternalId: orNull(inv.ExternalID), AssignedTo: orNull(inv.AssignedTo), Note: orNull(inv.Note), Approval: toAPIApproval(inv.Approval), Rejection: toAPIRejection(inv.Rejection),
		Sync: toAPISync(inv.Sync), Version: inv.Version, CreatedBy: orNull(inv.CreatedBy),
		CreatedAt: inv.CreatedAt, UpdatedAt: inv.UpdatedAt, WebUrl: w.page("invoices", inv.ID.String()),
	}
}

func toAPIDuplicate(d invoice.Duplicate) backend.Duplicate {
	out := backend.Duplicate{InvoiceId: orNull(d.InvoiceID), Rule: string(d.Rule), Dismissed: null[backend.Dismissal]()}
	if d.Dismissal != nil {
		out.Dismissed = value(backend.Dismissal{By: orNull(d.Dismissal.By), At: d.Dismissal.At, Reason: d.Dismissal.Reason})
	}
	return out
}

// ToAPISummary returns the summary of an invoice for lists.
func (w Web) ToAPISummary(s invoice.Summary) backend.InvoiceSummary {
	return backend.InvoiceSummary{
		Id: s.ID, DocumentId: s.DocumentID, EntityId: s.EntityID, OrganizationId: s.OrganizationID,
		Status: string(s.Status), DocumentType: string(s.Type), InvoiceNumber: orNull(s.Number),
		IssueDate: date(s.IssueDate), DueDate: date(s.DueDate), Currency: orNull(s.Currency),
		Seller:   backend.PartySummary{Name: orNull(s.SellerName), TaxId: orNull(s.SellerTaxID)},
		Buyer:    backend.PartySummary{Name: orNull(s.BuyerName), TaxId: orNull(s.BuyerTaxID)},
		NetTotal: decimal(s.NetTotal), TaxTotal: decimal(s.TaxTotal), GrossTotal: decimal(s.GrossTotal), AmountDue: decimal(s.AmountDue),
		ChecksFailed: backend.ChecksFailed{Blocking: s.FailedBlocking, Warning: s.FailedWarning},
		SyncState:    orNull(string(s.SyncState)), ExternalId: orNull(s.ExternalID), AssignedTo: orNull(s.AssignedTo), Version: s.Version, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
		WebUrl: w.page("invoices", s.ID.String()),
	}
}

// ToAPILine returns one line.
func ToAPILine(l invoice.Line) backend.InvoiceLine {
	return backend.InvoiceLine{
		Id: l.ID, Position: l.Position, Description: orNull(l.Description), Quantity: decimal(l.Quantity), Unit: orNull(l.Unit),
		UnitPrice: decimal(l.UnitPrice), PriceBaseQuantity: decimal(l.PriceBase), NetAmount: decimal(l.NetAmount),
		TaxRate: decimal(l.TaxRate), TaxCategory: orNull(l.TaxCategory),
		AccountId: orNull(l.AccountID), AccountSource: orNull(string(l.AccountSource)),
		TaxRateId: orNull(l.TaxRateID), TaxSource: orNull(string(l.TaxSource)),
	}
}

// ToAPIEvidence returns the evidence by path.
func ToAPIEvidence(fields map[string]invoice.Evidence) backend.EvidenceMap {
	out := make(backend.EvidenceMap, len(fields))
	for path, e := range fields {
		api := backend.Evidence{Source: string(e.Source), Confidence: e.Confidence}
		if e.Page > 0 {
			api.Page = &e.Page
		}
		if e.Box != nil {
			box := e.Box[:]
			api.Box = &box
		}
		if e.SourceText != "" {
			api.SourceText = &e.SourceText
		}
		if len(e.Alternatives) > 0 {
			api.Alternatives = &e.Alternatives
		}
		if e.Original != nil {
			api.Original = orNull(*e.Original)
		}
		out[path] = api
	}
	return out
}

func toAPIParty(p invoice.Party) backend.Party {
	api := backend.Party{
		Name: orNull(p.Name), TradingName: orNull(p.TradingName), TaxId: orNull(p.TaxID), RegistrationId: orNull(p.RegistrationID),
		Email: orNull(p.Email), Phone: orNull(p.Phone), Iban: orNull(p.IBAN), Bic: orNull(p.BIC),
		Address: null[backend.PostalAddress](),
	}
	if a := p.Address; a != (invoice.Address{}) {
		api.Address = value(backend.PostalAddress{
			Line1: orNull(a.Line1), Line2: orNull(a.Line2), Line3: orNull(a.Line3), City: orNull(a.City),
			PostalCode: orNull(a.PostalCode), Region: orNull(a.Region), Country: orNull(a.Country),
		})
	}
	return api
}

func toAPIPayment(p invoice.Payment) nullable.Nullable[backend.Payment] {
	if p == (invoice.Payment{}) {
		return null[backend.Payment]()
	}
	return value(backend.Payment{Iban: orNull(p.IBAN), Bic: orNull(p.BIC), Reference: orNull(p.Reference), Terms: orNull(p.Terms)})
}

func toAPIPeriod(p invoice.Period) nullable.Nullable[backend.Period] {
	if p == (invoice.Period{}) {
		return null[backend.Period]()
	}
	return value(backend.Period{Start: date(p.Start), End: date(p.End)})
}

func toAPIReference(r invoice.Reference) backend.PrecedingInvoice {
	return backend.PrecedingInvoice{Number: r.Number, IssueDate: date(r.IssueDate)}
}

func toAPITax(t invoice.Tax) backend.TaxBreakdown {
	return backend.TaxBreakdown{Category: orNull(t.Category), Rate: decimal(t.Rate), Base: decimal(t.Base), Amount: decimal(t.Amount)}
}

func allowances(all []invoice.AllowanceCharge, charges bool) []backend.AllowanceCharge {
	out := []backend.AllowanceCharge{}
	for _, a := range all {
		if a.IsCharge == charges {
			out = append(out, backend.AllowanceCharge{
				Amount: decimal(a.Amount), Base: decimal(a.Base), Percentage: decimal(a.Percentage),
				Reason: orNull(a.Reason), ReasonCode: orNull(a.ReasonCode),
				TaxCategory: orNull(a.TaxCategory), TaxRate: decimal(a.TaxRate),
			})
		}
	}
	return out
}

func toAPICheck(c invoice.Check) backend.Check {
	return backend.Check{
		Rule: c.Rule, Severity: string(c.Severity), Passed: c.Passed,
		Field: orNull(c.Path), Expected: orNull(c.Expected), Found: orNull(c.Found), SuggestedEntityId: orNull(c.SuggestedEntityID),
	}
}

func toAPIExtraction(e invoice.Extraction) backend.Extraction {
	return backend.Extraction{
		Method: string(e.Method), Format: orNull(e.Format), EngineVersion: e.EngineVersion, DurationMs: e.Duration.Milliseconds(),
	}
}

func toAPIApproval(a *invoice.Approval) nullable.Nullable[backend.Approval] {
	if a == nil {
		return null[backend.Approval]()
	}
	return value(backend.Approval{By: orNull(a.By), At: a.At, Version: a.Version})
}

func toAPIRejection(r *invoice.Rejection) nullable.Nullable[backend.Rejection] {
	if r == nil {
		return null[backend.Rejection]()
	}
	return value(backend.Rejection{By: orNull(r.By), At: r.At, Reason: orNull(r.Reason)})
}
