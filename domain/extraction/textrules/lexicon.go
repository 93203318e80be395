package textrules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Role is the meaning of a printed label.
type Role string

// The roles of labels.
const (
	RoleNumber        Role = "number"
	RoleTitle         Role = "title"       // the word "invoice", alone
	RoleCreditTitle   Role = "credit"      // the word "credit note", alone
	RoleIssueDate     Role = "issue_date"  // BT-2
	RoleDate          Role = "date"        // a date without a stated meaning
	RoleDueDate       Role = "due_date"    // BT-9
	RoleDelivery      Role = "delivery"    // BT-72
	RoleOtherDate     Role = "other_date"  // of an order, a payment, a period
	RoleOrder         Role = "order"       // BT-13
	RoleOtherNumber   Role = "other"       // of a customer, a delivery note, a page
	RoleSeries        Role = "series"      // the letters before a number: "Serie B, Folio 17"
	RoleCurrency      Role = "currency"    // BT-5
	RoleTerms         Role = "terms"       // BT-20
	RoleNet           Role = "net"         // BT-109
	RoleSubtotal      Role = "subtotal"    // BT-106, often BT-109 too
	RoleTax           Role = "tax"         // a row of BG-23, or BT-110
	RoleTaxTotal      Role = "tax_total"   // BT-110
	RoleGross         Role = "gross"       // BT-112
	RoleTotal         Role = "total"       // a total without a stated meaning
	RoleDue           Role = "due"         // BT-115
	RolePrepaid       Role = "prepaid"     // BT-113
	RolePrevious      Role = "previous"    // balance of earlier invoices
	RoleAllowance     Role = "allowance"   // BG-20
	RoleCharge        Role = "charge"      // BG-21
	RoleCarried       Role = "carried"     // a sum carried over to another page
	RoleSeller        Role = "seller"      // BG-4
	RoleBuyer         Role = "buyer"       // BG-7
	RoleOtherParty    Role = "other_party" // delivery address, payee
	RoleTaxID         Role = "tax_id"      // BT-31, or BT-48 in the buyer's block
	RoleBuyerTaxID    Role = "buyer_tax_id"
	RoleNationalTaxID Role = "national_tax_id" // BT-32
	RoleRegistration  Role = "registration"    // BT-30
	RoleIBAN          Role = "iban"
	RoleBIC           Role = "bic"
	RoleReference     Role = "reference" // BT-83
	RolePayee         Role = "payee"     // the holder of an account
	RoleName          Role = "name"      // announces a party's name in its block
	RoleAddress       Role = "address"   // announces a part of an address
	RoleContact       Role = "contact"   // announces a telephone, an e-mail address, a person
	RoleBank          Role = "bank"      // announces a bank
	RoleRounding      Role = "rounding"  // BT-114
	RoleWithheld      Role = "withheld"  // a tax or a guarantee that the buyer withholds
)

// roleNames lists the roles that a language file may contain.
func roleNames() []string {
	var out []string
	for _, r := range []Role{
		RoleNumber, RoleTitle, RoleCreditTitle, RoleIssueDate, RoleDate, RoleDueDate, RoleDelivery, RoleOtherDate, RoleOrder, RoleOtherNumber, RoleSeries,
		RoleCurrency, RoleTerms, RoleNet, RoleSubtotal, RoleTax, RoleTaxTotal, RoleGross, RoleTotal, RoleDue, RolePrepaid, RolePrevious,
		RoleAllowance, RoleCharge, RoleCarried, RoleSeller, RoleBuyer, RoleOtherParty, RoleTaxID, RoleBuyerTaxID, RoleNationalTaxID,
		RoleRegistration, RoleIBAN, RoleBIC, RoleReference, RolePayee, RoleName, RoleAddress, RoleContact, RoleBank, RoleRounding, RoleWithheld,
	} {
		out = append(out, string(r))
	}
	return out
}

// Label is a phrase of the lexicon. A weak label has its role only without a stronger
// label next to it.
type Label struct {
	Role Role
	Weak bool
	Size int // number of words; number of letters in scripts without spaces
}

// Match is a label in a sequence of words, from From (inclusive) to To (exclusive).
type Match struct {
	Label
	From, To int
}

type phrase struct {
	words []string
	label Label
}

// Words splits a text into folded words, without punctuation; "#" and "%" count as
// words.
func Words(text string) []string {
	var out []string
	for _, t := range Tokens(text) {
		out = append(out, t.Text)
	}
	return out
}

// FindLabels returns the labels in the tokens of a text, the longest at each
// position, without overlaps.
func FindLabels(tokens []Token) []Match {
	var out []Match
	for i := 0; i < len(tokens); {
		m, ok := longest(tokens, i)
		if !ok {
			i++
			continue
		}
		out = append(out, m)
		i = m.To
	}
	return out
}

func longest(tokens []Token, at int) (Match, bool) {
	best, found := Match{}, false
	for _, p := range vocab().labels[tokens[at].Text] {
		if len(p.words) > len(tokens)-at || found && p.label.Size <= best.Size {
			continue
		}
		same := true
		for k, w := range p.words {
			if tokens[at+k].Text != w {
				same = false
				break
			}
		}
		if same {
			best, found = Match{p.label, at, at + len(p.words)}, true
		}
	}
	if found || !tokens[at].ideographic {
		return best, found
	}
	first, _ := utf8.DecodeRuneInString(tokens[at].Text)
	for _, p := range vocab().solid[first] {
		if strings.HasPrefix(tokens[at].Text, p.words[0]) && (!found || p.label.Size > best.Size) {
			best, found = Match{p.label, at, at + 1}, true
		}
	}
	return best, found
}

// KnownWord reports whether a word is in the lexicon of labels.
func KnownWord(word string) bool {
	tokens := Tokens(word)
	return len(tokens) > 0 && vocab().known[tokens[0].Text]
}

// JoinedLabel returns the role of a label that is printed without spaces and signs, "" if the letters
// are no label, or one with several roles. Scans are recognized so: "InvoiceNo".
func JoinedLabel(text string) Role {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, Fold(text))
	if role := vocab().joined[letters]; role != "several" {
		return role
	}
	return ""
}
