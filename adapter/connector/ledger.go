package connector

import (
	"path"
	"strings"
	"unicode"

	"docledger/domain/accounting"
	"docledger/domain/integration"
)

// Ledger is what a connector of accounting software implements when its provider
// supports everything.
type Ledger interface {
	integration.Authorizer
	integration.RevocationReach
	accounting.OrganizationReader
	accounting.AccountReader
	accounting.ContactReader
	accounting.TaxRateReader
	accounting.CurrencyReader
	accounting.BillCreator
	accounting.ContactCreator
	accounting.Attacher
}

// AttachmentName returns a file's name as ledgers accept it: characters that they
// refuse become underscores, and a longer name keeps its ending.
func AttachmentName(filename string, longest int) string {
	name := strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`<>:"/\|?*+`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(filename, "_")))
	if strings.Trim(name, ".") == "" {
		return "document"
	}
	if runes := []rune(name); len(runes) > longest {
		ending := []rune(path.Ext(name))
		if len(ending) > longest/2 {
			ending = nil
		}
		name = string(runes[:longest-len(ending)]) + string(ending)
	}
	return name
}
