package quickbooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Document is a stored bill or vendor credit, for tests.
type Document struct {
	ID          string         `json:"id"`
	Type        string         `json:"type"` // Bill or VendorCredit
	Number      string         `json:"number"`
	VendorID    string         `json:"vendor_id"`
	Date        string         `json:"date"`
	DueDate     string         `json:"due_date,omitempty"`
	Currency    string         `json:"currency"`
	Tax         string         `json:"tax"`
	Total       string         `json:"total"`
	Note        string         `json:"note"`
	Deleted     bool           `json:"deleted,omitempty"`
	Lines       []DocumentLine `json:"lines"`
	Attachments []string       `json:"attachments"` // names of files
}

// DocumentLine is one line of it; Amount is without tax.
type DocumentLine struct {
	Description string `json:"description"`
	AccountID   string `json:"account_id"`
	TaxCodeID   string `json:"tax_code_id,omitempty"`
	Amount      string `json:"amount"`
}

// Documents returns the bills and vendor credits of a company in the order of their creation,
// including deleted ones.
func (s *Server) Documents(realm string) []Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.books[realm]; b != nil {
		return b.report()
	}
	return nil
}

func (b *book) report() []Document {
	out := []Document{}
	for _, r := range b.made {
		d := Document{
			ID: r.row.key(), Type: r.kind, Number: str(r.row.fields["DocNumber"]), VendorID: str(r.row.fields["VendorRef"]),
			Date: str(r.row.fields["TxnDate"]), DueDate: str(r.row.fields["DueDate"]), Currency: str(r.row.fields["CurrencyRef"]),
			Tax: "0", Total: str(r.row.fields["TotalAmt"]), Note: str(r.row.fields["PrivateNote"]),
			Deleted: b.tables[r.kind].byID[r.row.key()] == nil, Attachments: b.filesOf(r.kind, r.row.key()),
		}
		if tax, ok := r.row.fields["TxnTaxDetail"].(object); ok {
			d.Tax = str(tax["TotalTax"])
		}
		for _, one := range r.row.fields["Line"].([]any) {
			line := one.(object)
			detail := line["AccountBasedExpenseLineDetail"].(object)
			d.Lines = append(d.Lines, DocumentLine{
				Description: str(line["Description"]), AccountID: str(detail["AccountRef"]), TaxCodeID: str(detail["TaxCodeRef"]),
				Amount: str(line["Amount"]),
			})
		}
		out = append(out, d)
	}
	return out
}

func (b *book) filesOf(kind, id string) []string {
	names := []string{}
	for _, r := range b.tables["Attachable"].rows {
		list, _ := r.fields["AttachableRef"].([]any)
		for _, one := range list {
			if e := one.(object)["EntityRef"].(object); e["type"] == kind && str(e["value"]) == id {
				names = append(names, str(r.fields["FileName"]))
			}
		}
	}
	return names
}

// state is the response of GET /_sim/state. It contains no password, secret or token.
func (s *Server) state() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	companies, grants, clients := []any{}, []any{}, []any{}
	for _, realm := range s.order {
		b := s.books[realm]
		companies = append(companies, object{
			"realm_id": realm, "name": b.company.Name, "country": b.company.Country, "home_currency": b.company.HomeCurrency,
			"multi_currency": b.company.MultiCurrency, "accounts": len(b.tables["Account"].rows), "vendors": len(b.tables["Vendor"].rows),
			"tax_codes": len(b.tables["TaxCode"].rows), "documents": b.report(),
		})
	}
	for _, g := range s.identity.grants {
		grants = append(grants, object{"client_id": g.client, "user_id": g.user, "realm_id": g.realm, "scopes": g.scopes})
	}
	for _, c := range s.identity.clients {
		clients = append(clients, object{"client_id": c.ID, "name": c.Name, "redirect_uris": c.RedirectURIs})
	}
	return object{"now": s.Kit.Clock.Now(), "settings": s.settings, "companies": companies, "grants": grants, "clients": clients}
}

// change changes the records of a company, as a user would in the provider's pages.
func (s *Server) change(realm string, do func(b *book, now time.Time) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.books[realm]
	if b == nil {
		return fmt.Errorf("company %q does not exist", realm)
	}
	return do(b, s.Kit.Clock.Now())
}

// AddAccount adds an account and returns its id.
func (s *Server) AddAccount(realm string, a Account) (id string, err error) {
	err = s.change(realm, func(b *book, now time.Time) error {
		if _, known := AccountTypes()[a.Type]; !known {
			return fmt.Errorf("unknown account type %q", a.Type)
		}
		id = b.addAccount(a, now).key()
		return nil
	})
	return id, err
}

// AddVendor adds a vendor and returns its id.
func (s *Server) AddVendor(realm string, v Vendor) (id string, err error) {
	err = s.change(realm, func(b *book, now time.Time) error {
		if v.DisplayName == "" || b.named(v.DisplayName) {
			return fmt.Errorf("the name %q is empty or taken", v.DisplayName)
		}
		id = b.addVendor(v, now).key()
		return nil
	})
	return id, err
}

// AddTaxCode adds a tax code with one tax rate for each rate, and returns its id.
func (s *Server) AddTaxCode(realm string, c TaxCode) (id string, err error) {
	err = s.change(realm, func(b *book, now time.Time) error {
		id = b.addTaxCode(c, now).key()
		return nil
	})
	return id, err
}

// TypeDocument enters a bill ("Bill") or vendor credit ("VendorCredit") as a user would: one line
// without tax, dated today. It accepts a number that is in use.
func (s *Server) TypeDocument(realm, kind, vendor, number, total string) (id string, err error) {
	err = s.change(realm, func(b *book, now time.Time) error {
		if kind != "Bill" && kind != "VendorCredit" {
			return fmt.Errorf("unknown kind %q", kind)
		}
		if _, ok := plainNumber(total); !ok {
			return fmt.Errorf("%q is no amount", total)
		}
		expense := find(b.tables["Account"].rows, func(r *row) bool { return r.fields["AccountType"] == "Expense" && r.fields["Active"] == true })
		if expense == nil {
			return errors.New("the chart has no account of type Expense")
		}
		r, f := b.create(kind, object{
			"VendorRef": object{"value": vendor}, "DocNumber": number, "GlobalTaxCalculation": notApplicable,
			"Line": []any{object{
				"DetailType": "AccountBasedExpenseLineDetail", "Amount": json.Number(total),
				"AccountBasedExpenseLineDetail": object{"AccountRef": object{"value": expense.key()}},
			}},
		}, true, now)
		if f != nil {
			return errors.New(f.detail)
		}
		id = r.key()
		return nil
	})
	return id, err
}

// DeleteDocument deletes a bill or vendor credit.
func (s *Server) DeleteDocument(realm, kind, id string) error {
	return s.change(realm, func(b *book, _ time.Time) error {
		if !b.remove(kind, id) {
			return fmt.Errorf("%s %q does not exist", kind, id)
		}
		return nil
	})
}

// Renumber changes the number of a bill or vendor credit.
func (s *Server) Renumber(realm, kind, id, number string) error {
	return s.change(realm, func(b *book, now time.Time) error {
		r := b.tables[kind].byID[id]
		if r == nil {
			return fmt.Errorf("%s %q does not exist", kind, id)
		}
		r.fields["DocNumber"] = number
		r.token++
		r.updated = now
		return nil
	})
}

// CloseBooks closes all days up to and including one; the zero time opens them.
func (s *Server) CloseBooks(realm string, until time.Time) error {
	return s.change(realm, func(b *book, _ time.Time) error {
		b.company.ClosedUntil = until
		return nil
	})
}

// ForgetRequests removes every requestid.
func (s *Server) ForgetRequests() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.books {
		clear(b.replays)
	}
}

// Disconnect revokes the consents for a company, or all of them if it is "".
func (s *Server) Disconnect(realm string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.identity.disconnect(realm)
}

// Seed adds records to a list of a company, named "Seeded 1" and so on. Every tenth is inactive.
// The list is Account, Vendor or TaxCode.
func (s *Server) Seed(realm, list string, count int) error {
	return s.change(realm, func(b *book, now time.Time) error {
		for n := 1; n <= count; n++ {
			name, inactive := "Seeded "+strconv.Itoa(n), n%10 == 0
			switch list {
			case "Account":
				b.addAccount(Account{Name: name, Type: "Expense", SubType: "SuppliesMaterials", Inactive: inactive}, now)
			case "Vendor":
				b.addVendor(Vendor{DisplayName: name, Inactive: inactive}, now)
			case "TaxCode":
				b.addTaxCode(TaxCode{Name: name, Purchases: []Rate{{Name: name, Percent: "5"}}, Inactive: inactive}, now)
			default:
				return fmt.Errorf("unknown list %q", list)
			}
		}
		return nil
	})
}
