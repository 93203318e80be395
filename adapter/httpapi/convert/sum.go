package convert

import (
	"docledger/domain/invoice"
	"docledger/gen/backend"
)

// ToAPISums returns sums of invoices.
func ToAPISums(sums []invoice.Sum) []backend.InvoiceSum {
	return list(sums, func(s invoice.Sum) backend.InvoiceSum {
		return backend.InvoiceSum{
			EntityId: orNull(s.EntityID), SupplierName: orNull(s.SellerName), SupplierTaxId: orNull(s.SellerTaxID), Status: orNull(string(s.Status)),
			DocumentType: orNull(string(s.Type)), Month: orNull(s.Month), TaxCategory: orNull(s.TaxCategory), TaxRate: decimal(s.TaxRate),
			AccountId: orNull(s.AccountID), Currency: orNull(s.Currency), Count: s.Count,
			NetTotal: decimal(s.Net), TaxTotal: decimal(s.Tax), GrossTotal: decimal(s.Gross), AmountDue: decimal(s.Due),
		}
	})
}
