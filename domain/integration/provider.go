// Package integration contains the connections of entities to providers: accounting software and
// document stores.
package integration

import (
	"slices"
	"strings"

	"docledger/domain/fault"
)

// Provider is the neutral code of a system that docledger connects to. The API uses no other name
// for it.
type Provider string

// The providers of the first release. Other providers are known only by their Descriptor.
const (
	AccountingA Provider = "ACCOUNTING_A"
	AccountingB Provider = "ACCOUNTING_B"
	DocstoreA   Provider = "DOCSTORE_A" // sites and document libraries
	DocstoreB   Provider = "DOCSTORE_B" // folders
)

// Type is the purpose of an integration.
type Type string

// The types.
const (
	Accounting Type = "ACCOUNTING" // receives bills and provides the chart of accounts
	Trigger    Type = "TRIGGER"    // provides documents
)

// docstorePrefix is the prefix of the codes of document stores. All other codes are accounting
// software.
const docstorePrefix = "DOCSTORE_"

// Type returns the purpose of the provider's integrations. The code determines it.
func (p Provider) Type() Type {
	if strings.HasPrefix(string(p), docstorePrefix) {
		return Trigger
	}
	return Accounting
}

// Descriptor describes a provider. The package of its connector owns the one value.
type Descriptor struct {
	Code Provider
	// PublicClient reports whether the provider accepts an OAuth client without
	// a secret, which proves itself by PKCE.
	PublicClient bool
	// ReconnectHint is a frequent cause of ended consents at this provider, for people; may be "".
	ReconnectHint string
	// NotificationsRemedy is what makes a document store accept subscriptions that it refuses, for
	// people.
	NotificationsRemedy string
	// AttachmentScope is the scope without which the provider refuses attachments; "" for none.
	AttachmentScope string
	Settings        []Setting // in addition to client id, client secret, scopes and address
	Scopes          []string  // requested in consents unless others are configured
	Limits          Limits    // of one tenant
	// CaseInsensitive reports whether folder names that differ only in case are equal. It applies
	// to document stores.
	CaseInsensitive bool
	// AccountClass returns the class of a provider's account type, "" for none. known is false for
	// a type that the provider's documentation does not list. It is nil for document stores.
	AccountClass func(accountType string) (class string, known bool)
	AccountTypes []string // the types that AccountClass knows
	// ClassesAreTypes reports whether the API returns the provider's types as classes.
	ClassesAreTypes bool
}

// Setting is an additional value that an operator may configure.
type Setting struct {
	Name    string // of the variable, behind the provider's code: "TENANT"
	Meaning string
	Values  []string // the allowed ones, the default first; nil for any text
}

// Catalog lists the providers of an installation in display order.
type Catalog []Descriptor

// Codes lists the codes of all providers.
func (c Catalog) Codes() []Provider {
	codes := make([]Provider, len(c))
	for i, d := range c {
		codes[i] = d.Code
	}
	return codes
}

// Find returns the descriptor of a provider. For an unknown provider it returns a descriptor with
// only the code.
func (c Catalog) Find(p Provider) Descriptor {
	if i := slices.IndexFunc(c, func(d Descriptor) bool { return d.Code == p }); i >= 0 {
		return c[i]
	}
	return Descriptor{Code: p}
}

// Parse validates a provider code; field is the name of the request field.
func (c Catalog) Parse(field, code string) (Provider, error) {
	codes := c.Codes()
	if p := Provider(code); slices.Contains(codes, p) {
		return p, nil
	}
	names := make([]string, 0, len(codes))
	for _, p := range codes {
		names = append(names, string(p))
	}
	return "", fault.InvalidField(field, "must be one of %s", strings.Join(names, ", "))
}
