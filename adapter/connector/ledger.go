package connector

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"

	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/domain/money"
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

// Decimal parses a number of a response without rounding. A missing number is 0.
func Decimal(n json.Number) (money.Decimal, error) {
	if n == "" {
		return money.Decimal{}, nil
	}
	d, err := money.Parse(string(n))
	if err != nil {
		return money.Decimal{}, errors.New("the response contains a malformed number")
	}
	return d, nil
}

// CheckAttachment refuses a file that is empty, has more than a number of bytes, or has no media type that the
// ledger accepts.
func CheckAttachment(f accounting.File, maxBytes int64, mediaTypes []string) error {
	if f.SizeBytes <= 0 || f.SizeBytes > maxBytes {
		return accounting.Refuse(accounting.CodeAttachmentRefused, "The file has %d bytes; the ledger accepts at most %d.", f.SizeBytes, maxBytes)
	}
	if !slices.Contains(mediaTypes, f.MediaType) {
		return accounting.Refuse(accounting.CodeAttachmentRefused, "The ledger does not accept files of this type.")
	}
	return nil
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
