package textrules

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Role is what a printed label announces.
type Role string

// The roles of labels.
const (
	RoleNumber        Role = "number"
	RoleTitle         Role = "title"       // the word "invoice", alone
	RoleCreditTitle   Role = "credit"      // the same of a credit note
	RoleIssueDate     Role = "issue_date"  // BT-2
	RoleDate          Role = "date"        // a date of no said meaning
	RoleDueDate       Role = "due_date"    // BT-9
	RoleDelivery      Role = "delivery"    // BT-72
	RoleOtherDate     Role = "other_date"  // of an order, a payment, a period
	RoleOrder         Role = "order"       // BT-13
	RoleOtherNumber   Role = "other"       // of a customer, a delivery note, a page
	RoleCurrency      Role = "currency"    // BT-5
	RoleTerms         Role = "terms"       // BT-20
	RoleNet           Role = "net"         // BT-109
	RoleSubtotal      Role = "subtotal"    // BT-106, often BT-109 too
	RoleTax           Role = "tax"         // a row of BG-23, or BT-110
	RoleTaxTotal      Role = "tax_total"   // BT-110
	RoleGross         Role = "gross"       // BT-112
	RoleTotal         Role = "total"       // a total of no said meaning
	RoleDue           Role = "due"         // BT-115
	RolePrepaid       Role = "prepaid"     // BT-113
	RolePrevious      Role = "previous"    // balance of earlier invoices
	RoleAllowance     Role = "allowance"   // BG-20
	RoleCharge        Role = "charge"      // BG-21
	RoleCarried       Role = "carried"     // a sum carried over to another page
	RoleSeller        Role = "seller"      // BG-4
	RoleBuyer         Role = "buyer"       // BG-7
	RoleOtherParty    Role = "other_party" // delivery address, payee
	RoleTaxID         Role = "tax_id"      // BT-31, or BT-48 where it stands with the buyer
	RoleBuyerTaxID    Role = "buyer_tax_id"
	RoleNationalTaxID Role = "national_tax_id" // BT-32
	RoleRegistration  Role = "registration"    // BT-30
	RoleIBAN          Role = "iban"
	RoleBIC           Role = "bic"
	RoleReference     Role = "reference" // BT-83
	RolePayee         Role = "payee"     // the holder of an account
)

// Label is a phrase of the lexicon. A weak one means its role only where
// nothing stronger stands beside it.
type Label struct {
	Role Role
	Weak bool
	Size int // words of the phrase; letters where it is written without spaces
}

// Match is a label found in a sequence of words, which it covers from From to
// before To.
type Match struct {
	Label
	From, To int
}

type phrase struct {
	words []string
	label Label
}

// lexicon holds the phrases by their first word; ideographs those of languages
// without spaces, by their first letter.
var lexicon, ideographs = compile(phrases)

func compile(data map[Role]string) (map[string][]phrase, map[rune][]phrase) {
	byWord := map[string][]phrase{}
	solid := map[rune][]phrase{}
	for _, role := range slices.Sorted(maps.Keys(data)) {
		list := data[role]
		for _, entry := range strings.FieldsFunc(list, func(r rune) bool { return r == '|' || r == '\n' }) {
			entry = strings.TrimSpace(entry)
			text, weak := strings.CutPrefix(entry, "~")
			words := Words(text)
			if len(words) == 0 {
				continue
			}
			label := Label{Role: role, Weak: weak, Size: len(words)}
			if IsIdeographic(text) {
				label.Size = len([]rune(text))
				folded := Fold(text)
				first, _ := utf8.DecodeRuneInString(folded)
				solid[first] = append(solid[first], phrase{[]string{folded}, label})
				continue
			}
			byWord[words[0]] = append(byWord[words[0]], phrase{words, label})
		}
	}
	return byWord, solid
}

// Words parts a text into folded words, without punctuation; "#" and "%" count
// as words.
func Words(text string) []string {
	var out []string
	for _, t := range Tokens(text) {
		out = append(out, t.Text)
	}
	return out
}

// FindLabels returns the labels in a text as parted by Tokens, the longest at
// each place, none overlapping.
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
	for _, p := range lexicon[tokens[at].Text] {
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
	for _, p := range ideographs[first] {
		if strings.HasPrefix(tokens[at].Text, p.words[0]) && (!found || p.label.Size > best.Size) {
			best, found = Match{p.label, at, at + 1}, true
		}
	}
	return best, found
}

// knownWords are the words of all phrases.
var knownWords = func() map[string]bool {
	known := map[string]bool{}
	for _, list := range lexicon {
		for _, p := range list {
			for _, w := range p.words {
				known[w] = true
			}
		}
	}
	for _, list := range headsByWord {
		for _, h := range list {
			for _, w := range h.words {
				known[w] = true
			}
		}
	}
	return known
}()

// KnownWord says whether a word occurs in the lexicon of labels.
func KnownWord(word string) bool {
	tokens := Tokens(word)
	return len(tokens) > 0 && knownWords[tokens[0].Text]
}
