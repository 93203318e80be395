// Package integration holds an entity's connections to other companies'
// systems: accounting software and document stores.
package integration

import (
	"slices"
	"strings"

	"docledger/domain/fault"
)

// Provider is the neutral code of a system that docledger connects to
// (contract, introduction). No other name of it stands in the API.
type Provider string

// The providers.
const (
	AccountingA Provider = "ACCOUNTING_A"
	AccountingB Provider = "ACCOUNTING_B"
	DocstoreA   Provider = "DOCSTORE_A" // sites and document libraries
	DocstoreB   Provider = "DOCSTORE_B" // folders
)

// Providers lists them in the order of the contract.
func Providers() []Provider { return []Provider{AccountingA, AccountingB, DocstoreA, DocstoreB} }

// Valid says whether p is one of the providers.
func (p Provider) Valid() bool { return slices.Contains(Providers(), p) }

// ParseProvider reads a provider's code; field is the request's name for it.
func ParseProvider(field, code string) (Provider, error) {
	if p := Provider(code); p.Valid() {
		return p, nil
	}
	names := make([]string, 0, len(Providers()))
	for _, p := range Providers() {
		names = append(names, string(p))
	}
	return "", fault.InvalidField(field, "must be one of %s", strings.Join(names, ", "))
}

// Type says what an integration is for (contract section 1).
type Type string

// The types.
const (
	Accounting Type = "ACCOUNTING" // books invoices and lends its chart of accounts
	Trigger    Type = "TRIGGER"    // brings documents in
)

// Type returns what the provider's integrations are for.
func (p Provider) Type() Type {
	if p == DocstoreA || p == DocstoreB {
		return Trigger
	}
	return Accounting
}
