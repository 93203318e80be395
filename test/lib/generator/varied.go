package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Varied generates the document of a seed in a layout of its own, while New has few layouts. The places of
// the parties, brands, imprints, numbers and dates are random, and other names, addresses, numbers and
// dates are printed as well. The rankers of printed invoices are trained with these documents, too.
func Varied(seed uint64) *Document {
	r := rand.New(rand.NewPCG(seed, 13)) //nolint:gosec // repeatable, not secret
	d := &Document{Seed: seed, Locale: &locales[r.IntN(len(locales))], Layout: fmt.Sprint("varied", seed)}
	d.Truth = truth(r, d.Locale)
	d.Truth.giveTerms(rand.New(rand.NewPCG(seed, 17)), d.Locale) //nolint:gosec // repeatable, not secret
	if d.Truth.Twists.Many {                                     // a long table says nothing more about the parties
		return Varied(seed + 1<<40)
	}
	v := &varied{printer: &printer{r: r, d: d, t: &d.Truth, l: d.Locale}, also: alsoOf(d.Locale)}
	v.rename()
	v.print()
	return d
}

// varied prints a document of Varied.
type varied struct {
	*printer
	also       also
	footerOnly bool // the seller's address is printed in the imprint only
	taxPrinted bool // the seller's tax identifier is printed with the address
}

// also are the words of a language for what is neither of both parties.
type also struct{ contact, delivery, bank, phone string }

// alsoOf returns the words of the language of a locale, or those of English.
func alsoOf(l *Locale) also {
	language, _, _ := strings.Cut(l.Name, "-")
	if a, ok := alsoIn[language]; ok {
		return a
	}
	return alsoIn["en"]
}

var alsoIn = map[string]also{
	"en": {"Contact", "Ship to", "Bank", "Phone"},
	"de": {"Ansprechpartner", "Lieferadresse", "Bank", "Telefon"},
	"fr": {"Interlocuteur", "Adresse de livraison", "Banque", "Tél."},
	"es": {"Contacto", "Dirección de entrega", "Banco", "Tel."},
	"it": {"Referente", "Indirizzo di consegna", "Banca", "Tel."},
	"nl": {"Contactpersoon", "Afleveradres", "Bank", "Telefoon"},
	"pt": {"Contato", "Endereço de entrega", "Banco", "Telefone"},
	"sv": {"Kontaktperson", "Leveransadress", "Bank", "Telefon"},
	"pl": {"Osoba kontaktowa", "Adres dostawy", "Bank", "Tel."},
	"el": {"Επικοινωνία", "Διεύθυνση παράδοσης", "Τράπεζα", "Τηλ."},
	"bg": {"Лице за контакт", "Адрес за доставка", "Банка", "Тел."},
	"ja": {"担当者", "納品先", "銀行", "電話"},
	"zh": {"联系人", "收货地址", "开户行", "电话"},
}

var (
	people = []string{"Anna Schmidt", "Peter Novak", "Marie Dubois", "John Carter", "Elena Rossi", "Jan Kowalski", "Ingrid Larsen", "Carlos Vega"}
	banks  = []string{"Volksbank Mitte eG", "National Savings Bank", "Banque du Nord", "Banco Central Sur", "Crédit Régional", "Union Trust Bank plc"}
	others = []Party{
		party("Finanz Factoring GmbH", "Bankplatz 1", "60311 Frankfurt", "DE812345675"),
		party("InvoiceSoft Ltd", "1 Tech Park", "Cambridge CB1 2AB", "GB123123123"),
		party("Nova Holding S.A.", "3 rue de la Paix", "1219 Luxembourg", "LU12345613"),
		party("Transporte Lima S.L.", "Calle Sol 8", "08001 Barcelona", "ESB99999998"),
	}
)

// chance is true in one of n cases.
func (v *varied) chance(n int) bool { return v.r.IntN(n) == 0 }

func pick[T any](v *varied, list []T) T { return list[v.r.IntN(len(list))] }

// rename removes legal forms from some names, and makes some buyers persons.
func (v *varied) rename() {
	short := func(name string) string {
		if words := strings.Fields(name); len(words) > 2 {
			return strings.Join(words[:2], " ")
		}
		return name
	}
	if v.chance(4) {
		v.t.Seller.Name = short(v.t.Seller.Name)
	}
	switch v.r.IntN(6) {
	case 0:
		v.t.Buyer.Name, v.t.Buyer.TaxID = pick(v, people), ""
	case 1:
		v.t.Buyer.Name = short(v.t.Buyer.Name)
	}
}

// brand is the beginning of the seller's name, as a logo has it.
func (v *varied) brand() string {
	first, _, _ := strings.Cut(v.t.Seller.Name, " ")
	if v.chance(3) {
		return strings.ToUpper(first)
	}
	return first
}

// sellerLines are the lines of the seller's address, with some of its details.
func (v *varied) sellerLines() []string {
	s := v.t.Seller
	lines := []string{s.Name}
	if v.chance(5) {
		lines = append(lines, pick(v, v.l.goods)+" & "+pick(v, v.l.goods))
	}
	if v.chance(5) {
		lines = append(lines, s.Street+", "+s.Town)
	} else {
		lines = append(lines, s.Street, s.Town)
	}
	for _, more := range []string{v.also.phone + " 0" + fmt.Sprint(1000000+v.r.IntN(8000000)), "info@" + v.domain(), "www." + v.domain()} {
		if v.chance(2) {
			lines = append(lines, more)
		}
	}
	if v.taxPrinted = v.chance(2); v.taxPrinted {
		lines = append(lines, v.word("taxid")+": "+s.TaxID)
	}
	return lines
}

// domain is the seller's domain.
func (v *varied) domain() string {
	var b strings.Builder
	for _, c := range strings.ToLower(v.t.Seller.Name) {
		if c >= 'a' && c <= 'z' {
			b.WriteRune(c)
		}
	}
	if b.Len() == 0 {
		return "example.com"
	}
	return b.String()[:min(b.Len(), 12)] + ".example"
}

// buyerLines are the lines of the buyer's address, with some of its details.
func (v *varied) buyerLines() []string {
	b := v.t.Buyer
	lines := []string{b.Name}
	if v.chance(6) {
		lines = append(lines, pick(v, people))
	}
	lines = append(lines, b.Street, b.Town)
	if b.TaxID != "" && v.chance(3) {
		lines = append(lines, v.word("taxid")+": "+b.TaxID)
	}
	return lines
}

// block prints lines from a point, and returns the place below them.
func (v *varied) block(x, y, size, first float64, alignRight bool, lines []string) float64 {
	for i, line := range lines {
		s := size
		if i == 0 {
			s = first
			y += (first - size) * 0.8
		}
		v.put(x, y, s, alignRight, line)
		y += size * 1.3
	}
	return y
}

// rows are the labels and values next to the addresses.
func (v *varied) rows() [][2]string {
	rows := [][2]string{{v.word("number"), v.t.Number}, {v.word("date"), v.l.dates(v.t.IssueDate)}}
	if !v.t.DueDate.IsZero() && v.t.Terms == "" {
		rows = append(rows, [2]string{v.word("due"), v.l.dates(v.t.DueDate)})
	}
	day := func(before int) string { return v.l.dates(v.t.IssueDate.AddDays(-before)) }
	more := [][2]string{
		{v.word("customer"), fmt.Sprintf("%05d", 10000+v.r.IntN(80000))},
		{v.l.others[0], day(1 + v.r.IntN(20))},
		{v.l.others[1], fmt.Sprintf("B-%04d", v.r.IntN(9999))},
		{v.also.contact, pick(v, people)},
		{v.also.phone, fmt.Sprintf("0%d", 100000+v.r.IntN(800000))},
	}
	for _, row := range more {
		if v.chance(3) {
			at := v.r.IntN(len(rows) + 1)
			rows = append(rows[:at], append([][2]string{row}, rows[at:]...)...)
		}
	}
	return rows
}

// details prints rows as labels with values in one text, next to each other, or at the right margin.
func (v *varied) details(x, y float64, rows [][2]string) float64 {
	form := v.r.IntN(3)
	for _, row := range rows {
		switch form {
		case 0:
			v.text(x, y, row[0]+": "+row[1])
		case 1:
			v.text(x, y, row[0])
			v.text(x+120, y, row[1])
		case 2:
			v.text(x, y, row[0]+":")
			v.flush(x+195, y, row[1])
		}
		y += 14
	}
	return y
}

// strip prints rows as lines of at most four labels, each above a line of values.
func (v *varied) strip(y float64, rows [][2]string) float64 {
	for part := range slices.Chunk(rows, 4) {
		for i, row := range part {
			x := left + float64(i)*(right-left)/float64(len(part))
			v.put(x, y, 8, false, row[0])
			v.put(x, y+13, 9, false, row[1])
		}
		y += 34
	}
	return y
}
