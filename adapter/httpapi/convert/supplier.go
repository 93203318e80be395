package convert

import (
	"docledger/domain/supplier"
	"docledger/gen/backend"

	"github.com/oapi-codegen/nullable"
)

// ToAPISupplier returns the supplier with its bank accounts.
func ToAPISupplier(s *supplier.Supplier) backend.Supplier {
	return backend.Supplier{
		Id: s.ID, EntityId: s.EntityID, OrganizationId: s.OrganizationID, Name: s.Name, Aliases: some(s.Aliases), TaxIds: some(s.TaxIDs),
		Ibans: list(s.Accounts, toAPIBankAccount), ContactId: orNull(s.ContactID),
		DefaultAccountId: orNull(s.Account.ID), DefaultAccountSource: orNull(string(s.Account.Source)),
		DefaultTaxRateId: orNull(s.TaxRate.ID), DefaultTaxRateSource: orNull(string(s.TaxRate.Source)),
		InvoicesCount: s.InvoicesCount, Version: s.Version, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

func toAPIBankAccount(b supplier.BankAccount) backend.SupplierBankAccount {
	return backend.SupplierBankAccount{
		Iban: b.IBAN, Known: b.Known(), Source: string(b.Source), FirstSeenAt: b.FirstSeenAt, LastSeenAt: b.LastSeenAt,
		Confirmed: toAPIConfirmation(b.Confirmed),
	}
}

func toAPIConfirmation(c *supplier.Confirmation) nullable.Nullable[backend.BankAccountConfirmation] {
	if c == nil {
		return null[backend.BankAccountConfirmation]()
	}
	return value(backend.BankAccountConfirmation{By: c.By, At: c.At, Method: string(c.Method)})
}
