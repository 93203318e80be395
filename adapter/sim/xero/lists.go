package xero

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

func (s *Server) getOrganization(c *call) answer {
	o := c.book.organization
	out := object{
		{"Name", o.Name}, {"LegalName", o.LegalName}, {"PaysTax", o.PaysTax}, {"Version", "GLOBAL"},
		{"OrganisationType", "COMPANY"}, {"BaseCurrency", o.BaseCurrency}, {"CountryCode", o.CountryCode},
		{"IsDemoCompany", false}, {"OrganisationStatus", active},
	}.with("TaxNumber", o.TaxNumber)
	if !o.LockedUntil.IsZero() {
		out = append(out, member{"PeriodLockDate", day(o.LockedUntil)})
	}
	out = append(out,
		member{"Timezone", "UTC"}, member{"OrganisationEntityType", "COMPANY"}, member{"OrganisationID", guid(o.ID)},
		member{"Edition", "BUSINESS"}, member{"Class", "PREMIUM"}, member{"LineOfBusiness", ""},
		member{"Addresses", []object{}}, member{"Phones", []object{}}, member{"ExternalLinks", []object{}}, member{"PaymentTerms", object{}},
	)
	return s.list("Organisations", []object{out}, nil)
}

// whole responds with a list without pages.
func (s *Server) whole(c *call, plural string, things []object) answer {
	things, refused := selected(c.Request, things)
	if refused != nil {
		return *refused
	}
	return s.list(plural, things, nil)
}

func (s *Server) listAccounts(c *call) answer {
	var out []object
	for _, a := range c.book.accounts {
		out = append(out, object{{"AccountID", guid(a.ID)}}.with("Code", a.Code).with("Name", a.Name).
			with("Status", a.Status).with("Type", a.Type).with("TaxType", a.TaxType).with("Description", a.Description).
			with("Class", a.Class).with("EnablePaymentsToAccount", false).with("ShowInExpenseClaims", false).
			with("BankAccountNumber", a.BankNumber).with("BankAccountType", a.BankAccountType).
			with("CurrencyCode", a.CurrencyCode).with("SystemAccount", a.SystemAccount).
			with("HasAttachments", false).with("UpdatedDateUTC", updated(c.book.opened)).with("AddToWatchlist", false))
	}
	return s.whole(c, "Accounts", out)
}

func (s *Server) listTaxRates(c *call) answer {
	var out []object
	for _, t := range c.book.organization.TaxRates {
		rate := amount{decimal.RequireFromString(t.Rate), 4}
		out = append(out, object{
			{"Name", t.Name}, {"TaxType", t.TaxType}, {"ReportTaxType", t.ReportTaxType},
			{"CanApplyToAssets", !t.NotForExpenses}, {"CanApplyToEquity", true}, {"CanApplyToExpenses", !t.NotForExpenses},
			{"CanApplyToLiabilities", true}, {"CanApplyToRevenue", true},
			{"DisplayTaxRate", rate}, {"EffectiveRate", rate}, {"Status", cmp.Or(t.Status, active)},
			{"TaxComponents", []object{{{"Name", t.Name}, {"Rate", rate}, {"IsCompound", false}, {"IsNonRecoverable", false}}}},
		})
	}
	return s.whole(c, "TaxRates", out)
}

func (s *Server) listCurrencies(c *call) answer {
	var out []object
	for _, currency := range c.book.organization.Currencies {
		out = append(out, object{{"Code", currency.Code}, {"Description", currency.Description}})
	}
	return s.whole(c, "Currencies", out)
}

func renderContact(c *Contact) object {
	return object{{"ContactID", guid(c.ID)}}.with("ContactNumber", c.Number).with("AccountNumber", c.AccountNumber).
		with("ContactStatus", c.Status).with("Name", c.Name).with("EmailAddress", c.Email).
		with("CompanyNumber", c.CompanyNumber).with("BankAccountDetails", c.BankDetails).with("TaxNumber", c.TaxNumber).
		with("Addresses", []object{}).with("Phones", []object{}).with("UpdatedDateUTC", updated(c.Updated)).
		with("ContactGroups", []object{}).with("IsSupplier", c.IsSupplier).with("IsCustomer", false).
		with("DefaultCurrency", c.DefaultCurrency).with("ContactPersons", []object{}).
		with("HasAttachments", false).with("HasValidationErrors", false)
}

// listContacts omits archived contacts unless the request includes them.
func (s *Server) listContacts(c *call) answer {
	q := c.URL.Query()
	ids := commaSet(q.Get("IDs"))
	term := strings.ToLower(q.Get("searchTerm"))
	var out []object
	for _, contact := range c.book.contacts {
		if contact.Status == archived && !strings.EqualFold(q.Get("includeArchived"), "true") ||
			len(ids) > 0 && !ids[strings.ToLower(contact.ID)] || !mentions(contact, term) {
			continue
		}
		out = append(out, renderContact(contact))
	}
	return s.pages(c, "Contacts", out, func(o object) object { return o })
}

func mentions(c *Contact, term string) bool {
	return term == "" || strings.Contains(strings.ToLower(strings.Join([]string{
		c.Name, c.Number, c.CompanyNumber, c.Email, c.AccountNumber,
	}, "\n")), term)
}

// pages responds with one page of a list of complete records.
func (s *Server) pages(c *call, plural string, things []object, full func(object) object) answer {
	things, refused := selected(c.Request, things)
	if refused != nil {
		return *refused
	}
	part, p, refused := paged(c.Request, things)
	if refused != nil {
		return *refused
	}
	shown := make([]object, 0, len(part))
	for _, o := range part {
		shown = append(shown, full(o))
	}
	return s.list(plural, shown, p)
}

func commaSet(text string) map[string]bool {
	out := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.ToLower(strings.TrimSpace(part)); part != "" {
			out[part] = true
		}
	}
	return out
}

func (s *Server) getContact(c *call) answer {
	contact := c.book.contact(c.PathValue("id"))
	if contact == nil {
		return missing()
	}
	return s.list("Contacts", []object{renderContact(contact)}, nil)
}

// wireContact is a contact in a request.
type wireContact struct {
	ContactID          string
	Name               string
	ContactNumber      string
	AccountNumber      string
	EmailAddress       string
	TaxNumber          string
	CompanyNumber      string
	BankAccountDetails string
	DefaultCurrency    string
	ContactStatus      string
	Addresses          []wireAddress
}

// wireAddress is an address in a request.
type wireAddress struct {
	AddressType                                            string
	AddressLine1, AddressLine2, AddressLine3, AddressLine4 string
	City, Region, PostalCode, Country, AttentionTo         string
}

// tooLong checks the maximum lengths of Xero-OpenAPI, schema Address.
func tooLong(a wireAddress) bool {
	longest := max(len(a.AddressLine1), len(a.AddressLine2), len(a.AddressLine3), len(a.AddressLine4))
	return longest > 500 || max(len(a.City), len(a.Region), len(a.AttentionTo)) > 255 || max(len(a.PostalCode), len(a.Country)) > 50
}

// putContacts creates contacts. With POST it changes the contacts that the request names.
func (s *Server) putContacts(c *call) answer {
	var in struct{ Contacts []wireContact }
	if refused := readBody(c, &in); refused != nil {
		return *refused
	}
	return s.writeEach(c, "Contacts", len(in.Contacts), func(i int) (func() object, object, []string) {
		given := in.Contacts[i]
		old, problems := c.book.judge(c.Method, given)
		shown := object{}.with("ContactID", guid(given.ContactID)).with("Name", given.Name)
		return func() object { return renderContact(c.book.put(old, given, s.Kit.Clock.Now())) }, shown, problems
	})
}

// judge returns the existing contact, nil for a new one, and the errors of the request.
func (b *book) judge(method string, given wireContact) (old *Contact, problems []string) {
	byName := func(c *Contact) bool {
		return c.Status == active && strings.EqualFold(c.Name, strings.TrimSpace(given.Name))
	}
	switch {
	case given.ContactID != "":
		if old = b.contact(given.ContactID); old == nil {
			return nil, []string{"The contact could not be found."}
		}
	case method == http.MethodPost:
		old = find(b.contacts, byName)
	}
	if old == nil && strings.TrimSpace(given.Name) == "" {
		problems = append(problems, "The contact name must be provided.")
	}
	if same := find(b.contacts, byName); given.Name != "" && same != nil && same != old {
		problems = append(problems, "The contact name "+given.Name+" is already assigned to another contact. "+
			"The contact name must be unique across all active contacts.")
	}
	// Maximum lengths of Xero-OpenAPI, schema Contact.
	if len(given.Name) > 255 || len(given.AccountNumber) > 50 || len(given.TaxNumber) > 50 || len(given.EmailAddress) > 255 ||
		slices.ContainsFunc(given.Addresses, tooLong) {
		problems = append(problems, "A value is longer than the field.")
	}
	return old, problems
}
