package xero_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/kit"
	"docledger/adapter/sim/xero"
)

func TestBillIsBooked(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	r := w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("2026-17", m{"Url": "https://docledger.example/invoices/1"}))
	for path, want := range map[string]any{
		"Status": "DRAFT", "InvoiceNumber": "2026-17", "Date": "/Date(1772323200000+0000)/", "DueDateString": "2026-03-31T00:00:00",
		"CurrencyCode": "EUR", "LineAmountTypes": "Exclusive", "HasErrors": false, "SubTotal": 21.0, "TotalTax": 4.2, "Total": 25.2,
	} {
		if got := r.at("Invoices", 0, path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
	if !strings.Contains(r.raw, `"Total":25.20,`) || !strings.Contains(r.raw, `"Quantity":2.0000`) {
		t.Errorf("numbers: %s", r.raw)
	}
	id := r.at("Invoices", 0, "InvoiceID").(string)
	got := w.do(http.StatusOK, http.MethodGet, "/Invoices/"+id, nil)
	if got.at("Invoices", 0, "LineItems", 0, "LineItemID") == nil || got.at("Invoices", 0, "Contact", "Name") != "Muster GmbH" {
		t.Errorf("read back: %s", got.raw)
	}
	w.do(http.StatusOK, http.MethodPost, "/Invoices/"+id, m{"Invoices": []any{m{"Status": "AUTHORISED"}}})
	w.do(http.StatusBadRequest, http.MethodPost, "/Invoices/"+id, m{"Invoices": []any{m{"Status": "DRAFT"}}})
	w.do(http.StatusOK, http.MethodPost, "/Invoices/"+id, m{"Invoices": []any{m{"Status": "VOIDED"}}})
	w.do(http.StatusBadRequest, http.MethodPost, "/Invoices/"+id, m{"Invoices": []any{m{"Status": "AUTHORISED"}}})
	w.do(http.StatusNotFound, http.MethodGet, "/Invoices/"+xero.TaxedOrganization, nil)
	w.do(http.StatusNotFound, http.MethodGet, "/CreditNotes/"+id, nil)
	if held := w.sim.Documents(xero.TaxedOrganization); len(held) != 1 || held[0].Status != "VOIDED" || held[0].Total != "25.20" {
		t.Errorf("held: %+v", held)
	}
}

func TestAmountsOfBills(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	line := func(change m) []any {
		l := m{"Description": "x", "Quantity": 3, "UnitAmount": "0.3333", "AccountCode": "453", "TaxType": "INPUT2"}
		for name, value := range change {
			if l[name] = value; value == nil {
				delete(l, name)
			}
		}
		return []any{l}
	}
	for name, tc := range map[string]struct {
		query       string
		change      m
		net, tax, t string
	}{
		"two places of a unit":   {"", m{"LineItems": line(nil)}, "0.99", "0.20", "1.19"},
		"four places of a unit":  {"?unitdp=4", m{"LineItems": line(nil)}, "1.00", "0.20", "1.20"},
		"tax as given":           {"?unitdp=4", m{"LineItems": line(m{"TaxAmount": "0.19"})}, "1.00", "0.19", "1.19"},
		"inclusive":              {"", m{"LineAmountTypes": "Inclusive", "LineItems": line(m{"Quantity": 1, "UnitAmount": 119.99, "TaxType": "TAX001"})}, "100.83", "19.16", "119.99"},
		"no tax":                 {"", m{"LineAmountTypes": "NoTax", "LineItems": line(m{"Quantity": 1, "UnitAmount": 5})}, "5.00", "0.00", "5.00"},
		"the account's tax":      {"", m{"LineItems": line(m{"Quantity": 1, "UnitAmount": 10, "TaxType": nil})}, "10.00", "2.00", "12.00"},
		"a total without a unit": {"", m{"LineItems": line(m{"Quantity": 3, "UnitAmount": nil, "LineAmount": 10})}, "10.00", "2.00", "12.00"},
		"a line that is less":    {"", m{"LineItems": append(line(m{"Quantity": 1, "UnitAmount": 10}), line(m{"Quantity": 1, "UnitAmount": -4})...)}, "6.00", "1.20", "7.20"},
	} {
		w.do(http.StatusOK, http.MethodPut, "/Invoices"+tc.query, bill(name, tc.change))
		held := w.sim.Documents(xero.TaxedOrganization)
		last := held[len(held)-1]
		if last.Net != tc.net || last.Tax != tc.tax || last.Total != tc.t {
			t.Errorf("%s: %s + %s = %s, want %s + %s = %s", name, last.Net, last.Tax, last.Total, tc.net, tc.tax, tc.t)
		}
	}
}

func TestBillsAreRefused(t *testing.T) {
	t.Parallel()
	w := connected(t, func(o *xero.Options) {
		o.Organizations = xero.DefaultOrganizations()
		o.Organizations[0].LockedUntil = time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)
	})
	line := func(change m) m {
		l := m{"Description": "x", "Quantity": 1, "UnitAmount": 10, "AccountCode": "453"}
		for name, value := range change {
			l[name] = value
		}
		return m{"LineItems": []any{l}}
	}
	for name, tc := range map[string]struct {
		change m
		says   string
	}{
		"a customer's":         {m{"Type": "ACCREC"}, "type must be"},
		"no contact":           {m{"Contact": nil}, "A Contact must be specified"},
		"unknown contact":      {m{"Contact": m{"ContactID": xero.TaxedOrganization}}, "could not be found"},
		"archived contact":     {m{"Contact": m{"ContactID": "c0de0000-0000-4000-80b1-000000000005"}}, "archived"},
		"other currency":       {m{"CurrencyCode": "SEK"}, "not subscribed to currency SEK"},
		"long number":          {m{"InvoiceNumber": strings.Repeat("9", 256)}, "255"},
		"no date":              {m{"Date": "yesterday"}, "valid date"},
		"relative link":        {m{"Url": "/invoices/1"}, "absolute Url"},
		"unknown account":      {line(m{"AccountCode": "999"}), "Account code '999' is not a valid code"},
		"archived account":     {line(m{"AccountCode": "499"}), "Account code '499'"},
		"bank account":         {line(m{"AccountCode": "090"}), "Account code '090'"},
		"payables":             {line(m{"AccountCode": "800"}), "Account code '800'"},
		"unknown tax":          {line(m{"TaxType": "INPUT99"}), "TaxType code 'INPUT99'"},
		"archived tax":         {line(m{"TaxType": "SRINPUT"}), "TaxType code 'SRINPUT'"},
		"tax of sales":         {line(m{"TaxType": "OUTPUT2"}), "TaxType code 'OUTPUT2'"},
		"other line total":     {line(m{"LineAmount": 11}), "The line total 11 does not match the expected line total 10.00"},
		"no description":       {line(m{"Description": " "}), "Description"},
		"negative total":       {line(m{"UnitAmount": -1}), "negative"},
		"approved, no account": {m{"Status": "AUTHORISED", "LineItems": []any{m{"Description": "x", "UnitAmount": 1}}}, "Account code must be specified"},
		"approved, no due day": {m{"Status": "AUTHORISED", "DueDate": nil}, "DueDate"},
		"approved, no lines":   {m{"Status": "AUTHORISED", "LineItems": []any{}}, "line items"},
		"approved, locked":     {m{"Status": "AUTHORISED", "Date": "2026-02-28"}, "period lock date"},
		"paid":                 {m{"Status": "PAID"}, "not of valid status"},
	} {
		r := w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", bill(name, tc.change))
		text, _ := r.at("Elements", 0, "ValidationErrors", 0, "Message").(string)
		if !strings.Contains(text, tc.says) || r.body["Type"] != "ValidationException" || r.body["ErrorNumber"] != 10.0 {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
	w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("draft", m{"Date": "2026-02-01"}))
	w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", "{")
	w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", m{"Invoices": []any{}})
	w.do(http.StatusUnsupportedMediaType, http.MethodPut, "/Invoices", "<Invoices/>", "Content-Type", "text/xml")
	if held := w.sim.Documents(xero.TaxedOrganization); len(held) != 1 {
		t.Errorf("%d documents are held", len(held))
	}
}

func TestErrorsOfElements(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	two := m{"Invoices": append(bill("good", nil)["Invoices"].([]any), bill("bad", m{"CurrencyCode": "SEK"})["Invoices"].([]any)...)}
	w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", two)
	if n := len(w.sim.Documents(xero.TaxedOrganization)); n != 0 {
		t.Errorf("a refused request left %d documents", n)
	}
	r := w.do(http.StatusOK, http.MethodPut, "/Invoices?summarizeErrors=false", two)
	if r.at("Invoices", 0, "StatusAttributeString") != "OK" || r.at("Invoices", 1, "StatusAttributeString") != "ERROR" ||
		r.at("Invoices", 1, "HasErrors") != true || r.at("Invoices", 1, "InvoiceID") != "00000000-0000-0000-0000-000000000000" ||
		r.at("Invoices", 1, "ValidationErrors", 0, "Message") == nil {
		t.Errorf("elements: %s", r.raw)
	}
	if n := len(w.sim.Documents(xero.TaxedOrganization)); n != 1 {
		t.Errorf("%d documents", n)
	}
}

func TestKeysOfRepetition(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	first := w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("1", nil), "Idempotency-Key", "key-1")
	again := w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("1", nil), "Idempotency-Key", "key-1")
	if first.at("Invoices", 0, "InvoiceID") != again.at("Invoices", 0, "InvoiceID") {
		t.Error("the same key made another bill")
	}
	other := w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", bill("2", nil), "Idempotency-Key", "key-1")
	if text, _ := other.body["Detail"].(string); !strings.Contains(text, "is used with a different request") {
		t.Errorf("another request: %s", other.raw)
	}
	wrong := bill("3", m{"CurrencyCode": "SEK"})
	w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", wrong, "Idempotency-Key", "key-2")
	w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", wrong, "Idempotency-Key", "key-2")
	w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", bill("4", nil), "Idempotency-Key", strings.Repeat("k", 129))
	if err := w.sim.Kit.Inject(kit.Fault{Match: "PUT /api.xro/2.0/Invoices", Action: "commit_then_drop"}); err != nil {
		t.Fatal(err)
	}
	req := w.request(http.MethodPut, "/api.xro/2.0/Invoices", strings.NewReader(`{"Invoices":[{"Type":"ACCPAY","Contact":{"ContactID":"`+musterID+`"}}]}`))
	req.Header.Set("Authorization", "Bearer "+w.tokens.Access)
	req.Header.Set("xero-tenant-id", xero.TaxedOrganization)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "key-3")
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_ = resp.Body.Close()
		t.Errorf("the answer came: %d", resp.StatusCode)
	}
	w.do(http.StatusOK, http.MethodPut, "/Invoices", `{"Invoices":[{"Type":"ACCPAY","Contact":{"ContactID":"`+musterID+`"}}]}`, "Idempotency-Key", "key-3")
	if n := len(w.sim.Documents(xero.TaxedOrganization)); n != 2 {
		t.Errorf("%d bills, want 2", n)
	}
	w.sim.Kit.Clock.Advance(6 * time.Minute)
	w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("1", nil), "Idempotency-Key", "key-1")
	if n := len(w.sim.Documents(xero.TaxedOrganization)); n != 3 {
		t.Errorf("%d bills after the window, want 3", n)
	}
}

func TestBillsAreFound(t *testing.T) {
	t.Parallel()
	w := connected(t, func(o *xero.Options) { o.Limits = noLimits() })
	for n := range 5 {
		w.do(http.StatusOK, http.MethodPut, "/Invoices", bill(fmt.Sprint("N-", n%3), m{"Date": fmt.Sprintf("2026-03-0%d", n+1)}))
	}
	for filter, want := range map[string]int{
		`InvoiceNumber=="N-1"`:                                       2,
		`InvoiceNumber=="N-1" AND Date>=DateTime(2026,03,03)`:        1,
		`Contact.ContactID==guid("` + musterID + `")`:                5,
		`Contact.Name=="Muster GmbH" && (Total==25.20 || Total>9)`:   5,
		`Status=="DRAFT" AND InvoiceNumber!=null`:                    5,
		`InvoiceNumber.StartsWith("N-") and Type=="ACCPAY"`:          5,
		`InvoiceNumber.Contains("2") OR InvoiceNumber.EndsWith("0")`: 3,
		`DueDate<DateTime(2026,03,31)`:                               0,
		`Status=="VOIDED"`:                                           0,
	} {
		r := w.do(http.StatusOK, http.MethodGet, "/Invoices?page=1&where="+url.QueryEscape(filter), nil)
		if got := len(r.list("Invoices")); got != want {
			t.Errorf("%s finds %d, want %d", filter, got, want)
		}
	}
	for _, bad := range []string{
		`InvoiceNumber="N-1"`, `InvoiceNumber==`, `Contact.ContactID=="` + musterID + `"`, `Total=="x"`, `(Status=="DRAFT"`, `Date>=DateTime(2026,13,01)`,
		`InvoiceNumber=="N-1`, `InvoiceNumber=="N\"1"`, `InvoiceNumber=="N""1"`, `AND`, `Status=="DRAFT" Status=="DRAFT"`,
	} {
		r := w.do(http.StatusBadRequest, http.MethodGet, "/Invoices?where="+url.QueryEscape(bad), nil)
		if r.body["Type"] != "QueryParseException" || r.body["ErrorNumber"] != 16.0 {
			t.Errorf("%s: %s", bad, r.raw)
		}
	}
	byNumber := w.do(http.StatusOK, http.MethodGet, "/Invoices?InvoiceNumbers=N-0,N-2&page=1", nil)
	if len(byNumber.list("Invoices")) != 3 || byNumber.at("Invoices", 0, "LineItems", 0) == nil {
		t.Errorf("by number: %s", byNumber.raw)
	}
	brief := w.do(http.StatusOK, http.MethodGet, "/Invoices?order="+url.QueryEscape("Date DESC"), nil)
	if len(brief.list("Invoices")) != 5 || brief.at("Invoices", 0, "LineItems", 0) != nil || brief.at("Invoices", 0, "DateString") != "2026-03-05T00:00:00" {
		t.Errorf("without pages: %s", brief.raw)
	}
	first := byNumber.at("Invoices", 0, "InvoiceID").(string)
	w.do(http.StatusOK, http.MethodPost, "/Invoices/"+first, m{"Invoices": []any{m{"Status": "SUBMITTED"}}})
	if r := w.do(http.StatusOK, http.MethodGet, "/Invoices?where="+url.QueryEscape(`Status=="SUBMITTED"`), nil); len(r.list("Invoices")) != 1 {
		t.Errorf("after another status: %s", r.raw)
	}
	w.do(http.StatusOK, http.MethodPost, "/Contacts", m{"Contacts": []any{m{"ContactID": musterID, "Name": "Renamed"}}})
	if r := w.do(http.StatusOK, http.MethodGet, "/Invoices?where="+url.QueryEscape(`Status=="SUBMITTED" AND Contact.Name=="Renamed"`), nil); len(r.list("Invoices")) != 1 || r.at("Invoices", 0, "InvoiceID") != first {
		t.Errorf("after a change: %s", r.raw)
	}
	if err := w.sim.Renumber(xero.TaxedOrganization, first, "N-9"); err != nil {
		t.Fatal(err)
	}
	if r := w.do(http.StatusOK, http.MethodGet, "/Invoices?where="+url.QueryEscape(`InvoiceNumber=="N-9"`), nil); len(r.list("Invoices")) != 1 {
		t.Errorf("after another number: %s", r.raw)
	}
	if r := w.do(http.StatusOK, http.MethodGet, "/Invoices?createdByMyApp=true&Statuses=DRAFT,SUBMITTED&ContactIDs="+musterID, nil); len(r.list("Invoices")) != 5 {
		t.Errorf("of this application: %d", len(r.list("Invoices")))
	}
	if r := w.do(http.StatusOK, http.MethodGet, "/Invoices", nil, "If-Modified-Since", "2026-03-02T09:30:00"); len(r.list("Invoices")) != 0 {
		t.Errorf("not changed since: %d", len(r.list("Invoices")))
	}
}

func noLimits() *xero.Limits {
	l := xero.DefaultLimits()
	l.Concurrent, l.Minute, l.Day, l.AppMinute = 0, 0, 0, 0
	return &l
}

func TestCreditNotes(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	note := bill("", m{"Type": "ACCPAYCREDIT", "CreditNoteNumber": "C-1", "InvoiceNumber": nil})["Invoices"]
	r := w.do(http.StatusOK, http.MethodPut, "/CreditNotes", m{"CreditNotes": note})
	id, _ := r.at("CreditNotes", 0, "CreditNoteID").(string)
	if id == "" || r.at("CreditNotes", 0, "CreditNoteNumber") != "C-1" || r.at("CreditNotes", 0, "RemainingCredit") != 25.2 {
		t.Errorf("made: %s", r.raw)
	}
	w.do(http.StatusBadRequest, http.MethodPut, "/Invoices", m{"Invoices": note})
	w.do(http.StatusOK, http.MethodPut, "/CreditNotes/"+id+"/Attachments/c.pdf", []byte("%PDF-1.7"))
	if r := w.do(http.StatusOK, http.MethodGet, "/CreditNotes?page=1&where="+url.QueryEscape(`CreditNoteNumber=="C-1"`), nil); r.at("CreditNotes", 0, "HasAttachments") != true {
		t.Errorf("found: %s", r.raw)
	}
}

func TestAllocations(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	approved := m{"Status": "AUTHORISED"}
	billID, _ := w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("B", approved)).at("Invoices", 0, "InvoiceID").(string)
	draftID, _ := w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("D", nil)).at("Invoices", 0, "InvoiceID").(string)
	note := bill("", m{"Type": "ACCPAYCREDIT", "InvoiceNumber": nil, "Status": "AUTHORISED", "LineItems": []any{
		m{"Description": "Less", "UnitAmount": 30, "AccountCode": "453", "TaxType": "NONE"},
	}})["Invoices"]
	noteID, _ := w.do(http.StatusOK, http.MethodPut, "/CreditNotes", m{"CreditNotes": note}).at("CreditNotes", 0, "CreditNoteID").(string)
	at := "/CreditNotes/" + noteID + "/Allocations"
	against := func(id, amount string) m {
		return m{"Allocations": []any{m{"Invoice": m{"InvoiceID": id}, "Amount": amount, "Date": "2026-03-02"}}}
	}
	for _, wrong := range []m{against(draftID, "1"), against(billID, "25.21"), against(billID, "0"), against(noteID, "1")} {
		w.do(http.StatusBadRequest, http.MethodPut, at, wrong)
	}
	w.do(http.StatusOK, http.MethodPut, at, against(billID, "20"))
	w.do(http.StatusOK, http.MethodPut, at, against(billID, "5.20"))
	paid := w.do(http.StatusOK, http.MethodGet, "/Invoices/"+billID, nil)
	if paid.at("Invoices", 0, "Status") != "PAID" || paid.at("Invoices", 0, "AmountDue") != 0.0 || paid.at("Invoices", 0, "AmountCredited") != 25.2 {
		t.Errorf("the bill: %s", paid.raw)
	}
	rest := w.do(http.StatusOK, http.MethodGet, "/CreditNotes/"+noteID, nil)
	if rest.at("CreditNotes", 0, "Status") != "AUTHORISED" || rest.at("CreditNotes", 0, "RemainingCredit") != 4.8 || rest.at("CreditNotes", 0, "Allocations", 1, "Invoice", "InvoiceID") != billID {
		t.Errorf("the credit note: %s", rest.raw)
	}
	w.do(http.StatusNotFound, http.MethodPut, "/CreditNotes/"+billID+"/Allocations", against(billID, "1"))
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	w.sim.SetLimits(func(l *xero.Limits) { l.Attachments, l.AttachmentBytes = 2, 100 })
	id := w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("1", nil)).at("Invoices", 0, "InvoiceID").(string)
	at := "/Invoices/" + id + "/Attachments/"
	r := w.do(http.StatusOK, http.MethodPut, at+"Rechnung%20M%C3%A4rz.pdf", []byte("%PDF-1.7 one"))
	if r.at("Attachments", 0, "FileName") != "Rechnung März.pdf" || r.at("Attachments", 0, "ContentLength") != 12.0 || r.at("Attachments", 0, "MimeType") != "application/pdf" {
		t.Errorf("made: %s", r.raw)
	}
	w.do(http.StatusOK, http.MethodPut, at+"Rechnung%20M%C3%A4rz.pdf", []byte("%PDF-1.7 two!"))
	w.do(http.StatusOK, http.MethodPost, at+"b.csv", []byte("a;b"), "Content-Type", "text/csv; charset=utf-8")
	w.do(http.StatusBadRequest, http.MethodPut, at+"c.pdf", []byte("%PDF-1.7"))
	w.do(http.StatusRequestEntityTooLarge, http.MethodPut, at+"b.csv", bytes.Repeat([]byte("a"), 101), "Content-Type", "text/csv")
	for name, kind := range map[string]string{"a.exe": "application/octet-stream", "a%3Ab.pdf": "application/pdf", "b.pdf": "text/html", "d": "application/pdf", "b.csv": "", "b.xml": "text/xml"} {
		w.do(http.StatusBadRequest, http.MethodPut, at+name, []byte("x"), "Content-Type", kind)
	}
	w.do(http.StatusNotFound, http.MethodPut, "/Invoices/"+xero.TaxedOrganization+"/Attachments/a.pdf", []byte("x"))
	if list := w.do(http.StatusOK, http.MethodGet, at[:len(at)-1], nil).list("Attachments"); len(list) != 2 {
		t.Errorf("%d attachments", len(list))
	}
	if held := w.sim.Documents(xero.TaxedOrganization)[0].Attachments; held[0].Size != 13 {
		t.Errorf("the second of a name did not replace the first: %+v", held)
	}
}

// TestContactOfABill checks that a contact's id with other fields changes the contact, and that a
// name without an id creates one.
func TestContactOfABill(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("1", m{"Contact": m{"ContactID": musterID, "Name": "Renamed"}}))
	if r := w.do(http.StatusOK, http.MethodGet, "/Contacts/"+musterID, nil); r.at("Contacts", 0, "Name") != "Renamed" {
		t.Errorf("contact: %s", r.raw)
	}
	w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("2", m{"Contact": m{"Name": "Brand New"}}))
	if r := w.do(http.StatusOK, http.MethodGet, "/Contacts?searchTerm=brand", nil); r.at("Contacts", 0, "IsSupplier") != true {
		t.Errorf("contact: %s", r.raw)
	}
}
