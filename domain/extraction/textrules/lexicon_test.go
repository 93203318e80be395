package textrules_test

import (
	"testing"

	"docledger/domain/extraction/textrules"
	"docledger/domain/money"
)

func TestFindLabels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]textrules.Role{
		"Invoice Number:":            textrules.RoleNumber,
		"INVOICE #":                  textrules.RoleNumber,
		"Rechnungs-Nr.":              textrules.RoleNumber,
		"N° de facture":              textrules.RoleNumber,
		"Faktura nr:":                textrules.RoleNumber,
		"Αριθμός τιμολογίου":         textrules.RoleNumber,
		"請求書番号: 17":                  textrules.RoleNumber,
		"رقم الفاتورة":               textrules.RoleNumber,
		"Liefer- und Rechnungsdatum": textrules.RoleIssueDate,
		"Ημερομηνία έκδοσης":         textrules.RoleIssueDate,
		"Fälligkeitsdatum":           textrules.RoleDueDate,
		"Vervaldatum":                textrules.RoleDueDate,
		"Срок за плащане":            textrules.RoleDueDate,
		"Total HT":                   textrules.RoleNet,
		"Nettobetrag":                textrules.RoleNet,
		"不含税金额":                      textrules.RoleNet,
		"Total TTC":                  textrules.RoleGross,
		"Gesamtbetrag":               textrules.RoleGross,
		"Do zapłaty":                 textrules.RoleDue,
		"Πληρωτέο ποσό":              textrules.RoleDue,
		"USt-IdNr.":                  textrules.RoleTaxID,
		"Série":                      textrules.RoleSeries,
		"Seria facturii":             textrules.RoleSeries,
		"ATTN:":                      "",
	} {
		got := textrules.Role("")
		if found := textrules.FindLabels(textrules.Tokens(text)); len(found) > 0 {
			got = found[0].Role
		}
		if got != want {
			t.Errorf("label of %q = %q, want %q", text, got, want)
		}
	}
}

func TestWithoutForm(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Rose GmbH & Co. KG": "Rose", "Rosales S.A. de C.V.": "Rosales", "Blanch & Asociados S.L.N.E": "Blanch & Asociados", "Fekete Kkt.": "Fekete",
		"Rose": "", "GmbH": "", "Rose & Kunz": "",
	} {
		if got := textrules.WithoutForm(name); got != want {
			t.Errorf("%q without its legal form is %q, want %q", name, got, want)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"PROFORMA INVOICE": "proforma", "Mahnung": "reminder", "Angebot Nr. 2024-17": "quote", "Lieferschein": "delivery_note",
		"Statement of Account": "statement", "Remittance Advice": "payment_advice", "見積書": "quote", "Invoice": "", "Order of the day": "", "\u0301 Mahnung": "",
	} {
		if got := textrules.KindOf(title); got != want {
			t.Errorf("kind of %q = %q, want %q", title, got, want)
		}
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"€": "EUR", "R$": "BRL", "zł": "PLN", "CHF": "CHF", "$": "USD", "円": "JPY", "kg": "", "ALL": ""} {
		got := ""
		if c := textrules.Currencies(text); len(c) > 0 {
			got = c[0]
		}
		if got != want {
			t.Errorf("currency of %q = %q, want %q", text, got, want)
		}
	}
	if c := textrules.Currencies("$"); len(c) < 2 {
		t.Error("a dollar sign has only one currency")
	}
}

func TestSolve(t *testing.T) {
	t.Parallel()
	of := func(weight float64, values ...string) []textrules.Candidate {
		var out []textrules.Candidate
		for i, v := range values {
			out = append(out, textrules.Candidate{Value: money.MustParse(v), Weight: weight, Index: i})
		}
		return out
	}
	cent := money.MustParse("0.01")
	net := append(of(0.7, "1440"), of(1, "1436.00")...)
	best, contested, ok := textrules.Solve(net, of(1, "100.52"), of(1, "1536.52"), cent)
	if !ok || contested || best.Net.Value.String() != "1436.00" {
		t.Errorf("best = %+v, contested %t, ok %t", best, contested, ok)
	}
	if _, _, ok := textrules.Solve(of(1, "100.00"), of(1, "19.00"), of(1, "120.00"), cent); ok {
		t.Error("100 and 19 make 120")
	}
	if _, contested, ok := textrules.Solve(of(1, "100.00", "200.00"), of(1, "19.00"), of(1, "119.00", "219.00"), cent); !ok || !contested {
		t.Error("two triples of the same weight are not contested")
	}
}
