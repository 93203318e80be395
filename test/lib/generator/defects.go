package generator

import "docledger/domain/money"

// Defect is a planted error of a document.
type Defect string

// The defects.
const (
	None         Defect = ""
	WrongGross   Defect = "gross total"
	WrongTax     Defect = "tax"
	WrongNet     Defect = "net total"
	WrongLine    Defect = "amount of a line"
	WrongRate    Defect = "rate"
	WrongDates   Defect = "due before issue"
	FutureDate   Defect = "date in the future"
	WrongIBAN    Defect = "digit of the IBAN"
	SwappedParty Defect = "parties swapped"
)

// Defects returns the defects that can be planted.
func Defects() []Defect {
	return []Defect{WrongGross, WrongTax, WrongNet, WrongLine, WrongRate, WrongDates, FutureDate, WrongIBAN, SwappedParty}
}

// Shows reports whether the document prints the value that the error changes.
func (d Defect) Shows(t *Truth) bool {
	switch d {
	case WrongNet:
		return !t.Twists.Gross
	case WrongTax, WrongRate:
		return !t.Twists.Gross && !t.Twists.NoTax
	case WrongIBAN:
		return t.IBAN != ""
	}
	return true
}

// plant changes the printed value, not the true value.
func (d Defect) plant(t *Truth) {
	shift := money.FromInt(110)
	switch d {
	case WrongGross:
		t.Gross = t.Gross.Add(shift)
		if t.Prepaid == nil {
			t.Due = t.Gross
		}
	case WrongTax:
		t.Rates[0].Amount = t.Rates[0].Amount.Add(shift)
	case WrongNet:
		t.Net = t.Net.Add(shift)
	case WrongLine:
		t.Lines[0].Amount = t.Lines[0].Amount.Add(shift)
	case WrongRate:
		t.Rates[0].Rate += 4
	case WrongDates:
		t.DueDate, t.Terms = t.IssueDate.AddDays(-400), ""
	case FutureDate:
		t.IssueDate, t.DueDate = t.IssueDate.AddDays(9000), t.DueDate.AddDays(9000)
	case WrongIBAN:
		if t.IBAN != "" {
			b := []byte(t.IBAN)
			last := len(b) - 1
			b[last] = '0' + (b[last]-'0'+1)%10
			t.IBAN = string(b)
		}
	case SwappedParty:
		t.Seller, t.Buyer = t.Buyer, t.Seller
	}
}
