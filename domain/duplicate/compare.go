package duplicate

import (
	"strings"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
)

// windowDays is the number of days between two issue dates of different years within which an equal
// number is the same invoice.
const windowDays = 90

// Compare returns the rule by which two records are the same invoice, or "".
func Compare(a, b Record) invoice.DuplicateRule {
	if a.Bytes != "" && a.Bytes == b.Bytes {
		return invoice.SameBytes
	}
	ka, kb := a.Keys(), b.Keys()
	sameNumber := sameNumbers(a.Number, b.Number)
	same, known := sameSupplier(a, b, ka, kb)
	sameTotal := equalAmounts(a, b) && !a.IssueDate.IsZero() && a.IssueDate == b.IssueDate
	near := a.Type == b.Type && sameTotal && (sameNumber || nearNumbers(a, b))
	if !same && !known && sameTotal && (sameNumber || near) {
		// The day, the amount and the number agree, and no identifier decides about the supplier.
		if ka.Name == "" || kb.Name == "" {
			if sameNumber && near {
				return invoice.NearNumber
			}
			return ""
		}
		same = misread(ka.Name, kb.Name) || sameNumber && partOf(ka.Name, kb.Name)
	}
	switch {
	case !same:
		return ""
	case sameNumber && equalAmounts(a, b) && a.Structured != b.Structured && inWindow(a.IssueDate, b.IssueDate):
		return invoice.SameInvoiceOtherForm
	case sameNumber && a.Type == b.Type && inWindow(a.IssueDate, b.IssueDate):
		return invoice.SameNumber
	case near:
		return invoice.NearNumber
	}
	return ""
}

// sameSupplier compares the sellers by tax identifier, otherwise IBAN, otherwise name. known is
// true if identifiers decided. Identifiers that differ decide only if the check digits of both are
// right: otherwise one may be misread, or the two may be numbers of different registers.
func sameSupplier(a, b Record, ka, kb Keys) (same, known bool) {
	if ka.TaxID != "" && kb.TaxID != "" {
		if invoice.SameTaxID(a.TaxID, b.TaxID) || ka.TaxID == kb.TaxID && longEnough(ka.TaxID) {
			return true, true
		}
		if rightTaxID(a) && rightTaxID(b) {
			return false, true
		}
	}
	if ka.IBAN != "" && ka.IBAN == kb.IBAN {
		return true, true
	}
	return ka.Name != "" && ka.Name == kb.Name, false
}

func longEnough(id string) bool { return len(id) >= 6 }

func rightTaxID(r Record) bool {
	right, known := invoice.ValidTaxID(r.TaxID, r.Country)
	return right && known
}

func equalAmounts(a, b Record) bool {
	if a.Gross == nil || b.Gross == nil || a.Currency != "" && b.Currency != "" && a.Currency != b.Currency {
		return false
	}
	return a.Gross.Equal(*b.Gross)
}

// inWindow reports whether two issue dates are in the same year or at most windowDays apart. A
// missing date excludes nothing.
func inWindow(a, b calendar.Date) bool {
	if a.IsZero() || b.IsZero() || a.Time().Year() == b.Time().Year() {
		return true
	}
	if b.Before(a) {
		a, b = b, a
	}
	return !a.AddDays(windowDays).Before(b)
}

// misread reports whether two names differ by at most one character in eight.
func misread(a, b string) bool {
	const perCharacter, most = 8, 64
	if len(a) > most || len(b) > most {
		a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	}
	allowed := max(len(a), len(b)) / perCharacter
	return allowed > 0 && distance(a, b) <= allowed
}

// partOf reports whether one name contains the other. A printed letterhead often states a shorter
// or a longer name than the electronic invoice.
func partOf(a, b string) bool {
	const shortest = 6
	return min(len(a), len(b)) >= shortest && (strings.Contains(a, b) || strings.Contains(b, a))
}

func oneEdit(a, b string) bool {
	d := len(a) - len(b)
	const longest = 64 // longer texts are no numbers
	return -1 <= d && d <= 1 && len(a) <= longest && distance(a, b) == 1
}

// distance is the number of insertions, deletions and substitutions of bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
