package quickbooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"docledger/adapter/sim/quickbooks"
)

func TestAccess(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	if r := w.do(401, "GET", "preferences", nil, "Authorization", "Bearer unknown"); r.at("fault", "error", 0, "code") != "3200" || r.header.Get("intuit_tid") == "" {
		t.Errorf("an unknown token: %s", r.raw)
	}
	if r := w.do(200, "GET", "preferences", nil, "Accept", ""); !strings.HasPrefix(r.raw, "<?xml") || !strings.Contains(r.raw, "<MultiCurrencyEnabled>true</MultiCurrencyEnabled>") {
		t.Errorf("without Accept: %s", r.raw)
	}
	w.realm = quickbooks.USCompany
	if r := w.do(403, "GET", "preferences", nil); r.at("fault", "error", 0, "code") != "3100" {
		t.Errorf("another company: %s", r.raw)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	w.sim.SetLimits(func(l *quickbooks.Limits) { l.Second, l.Minute = 10, 25 })
	seen := map[int]int{}
	for range 12 {
		seen[w.call("GET", "preferences", nil).status]++
	}
	if seen[200] != 10 || seen[429] != 2 {
		t.Errorf("in one second: %v", seen)
	}
	if r := w.do(429, "GET", "preferences", nil); r.code() != "3001" || r.header.Get("Retry-After") != "" {
		t.Errorf("throttled: %s", r.raw)
	}
	w.sim.Kit.Clock.Advance(1e9)
	for n := range 10 {
		w.call("GET", "preferences", nil)
		if n == 9 {
			w.sim.Kit.Clock.Advance(1e9)
		}
	}
	w.do(200, "GET", "preferences", nil)
	w.do(200, "GET", "preferences", nil)
	w.do(429, "GET", "preferences", nil)
	w.sim.Kit.Clock.Advance(60e9)
	w.do(200, "GET", "preferences", nil)
}

func TestLists(t *testing.T) {
	t.Parallel()
	for _, realm := range []string{quickbooks.VATCompany, quickbooks.USCompany} {
		w := connected(t, realm, nil)
		for of := range quickbooks.AccountTypes() {
			if list := w.query(200, "SELECT * FROM Account WHERE AccountType = '"+of+"'").list("Account"); len(list) == 0 {
				t.Errorf("%s: no account of type %s", realm, of)
			}
		}
		r := w.do(200, "GET", "companyinfo/"+realm, nil)
		if r.at("CompanyInfo", "CompanyName") == nil || r.at("CompanyInfo", "Country") == nil {
			t.Errorf("company info %s", r.raw)
		}
		w.do(400, "GET", "companyinfo/1", nil)
	}
	w := connected(t, quickbooks.USCompany, nil)
	if r := w.query(400, "select * from CompanyCurrency"); r.code() != "6000" {
		t.Errorf("currencies without several: %s", r.raw)
	}
	if r := w.query(200, `select * from Vendor where DisplayName = 'Brown\'s Paper & Pens'`); r.at("QueryResponse", "Vendor", 0, "TaxIdentifier") != "XXXXXXX6782" {
		t.Errorf("tax identifier %s", r.raw)
	}
}

func TestVendors(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	in := m{"DisplayName": "Gamma 'Ltd'", "TaxIdentifier": "GB1", "PrimaryEmailAddr": m{"Address": "a@b.example"}, "CurrencyRef": m{"value": "EUR"}}
	id, _ := w.do(200, "POST", "vendor", in).at("Vendor", "Id").(string)
	if r := w.do(200, "GET", "vendor/"+id, nil); r.at("Vendor", "CurrencyRef", "value") != "EUR" || r.at("Vendor", "Active") != true {
		t.Errorf("read %s", r.raw)
	}
	for name, tt := range map[string]struct {
		in   any
		code string
	}{
		"the same name":        {m{"DisplayName": "gamma 'ltd'"}, "6240"},
		"a customer's name":    {m{"DisplayName": "First Customer Ltd"}, "6240"},
		"no name":              {m{"CompanyName": "x"}, "2020"},
		"a colon":              {m{"DisplayName": "a:b"}, "2040"},
		"an unknown field":     {m{"DisplayName": "a", "Iban": "x"}, "2010"},
		"a long tax id":        {m{"DisplayName": "a", "TaxIdentifier": strings.Repeat("1", 21)}, "2050"},
		"a currency not there": {m{"DisplayName": "a", "CurrencyRef": m{"value": "JPY"}}, "2500"},
		"an update":            {m{"Id": id, "SyncToken": "0", "DisplayName": "a"}, "500"},
		"no JSON":              {"{", "2010"},
	} {
		if r := w.do(400, "POST", "vendor", tt.in); r.code() != tt.code {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
}

func TestBills(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	r := w.do(200, "POST", "bill", w.bill("R-1", nil))
	id, _ := r.at("Bill", "Id").(string)
	if r.at("Bill", "TotalAmt") != 25.2 || r.at("Bill", "TxnTaxDetail", "TotalTax") != 4.2 || r.at("Bill", "Line", 0, "Amount") != 21.0 {
		t.Errorf("made %s", r.raw)
	}
	if r := w.do(200, "GET", "bill/"+id, nil); r.at("Bill", "DocNumber") != "R-1" || r.at("Bill", "DueDate") != "2026-03-01" {
		t.Errorf("read %s", r.raw)
	}
	for _, statement := range []string{
		"select * from Bill where DocNumber = 'R-1'", "select * from bill where txndate = '2026-03-01' and vendorref = '51'",
		"select * from Bill where TxnDate >= '2026-02-28' and TotalAmt > '25' orderby TxnDate desc",
	} {
		if list := w.query(200, statement).list("Bill"); len(list) != 1 {
			t.Errorf("%s: %d bills", statement, len(list))
		}
	}
	if r := w.do(400, "POST", "bill", w.bill("R-1", nil)); r.code() != "6140" || !strings.Contains(r.raw, "TxnId="+id) {
		t.Errorf("the number again: %s", r.raw)
	}
	w.do(200, "POST", "bill?include=allowduplicatedocnum", w.bill("R-1", nil))
	w.do(200, "POST", "vendorcredit", w.bill("R-1", nil))
	if r := w.do(400, "POST", "bill?operation=delete", m{"Id": id, "SyncToken": "7"}); r.code() != "5010" {
		t.Errorf("stale: %s", r.raw)
	}
	if r := w.do(200, "POST", "bill?operation=delete", m{"Id": id, "SyncToken": "0"}); r.at("Bill", "status") != "Deleted" {
		t.Errorf("deleted: %s", r.raw)
	}
	if r := w.do(400, "GET", "bill/"+id, nil); r.code() != "610" {
		t.Errorf("read a deleted bill: %s", r.raw)
	}
	if docs := w.sim.Documents(w.realm); len(docs) != 3 || !docs[0].Deleted || docs[2].Type != "VendorCredit" {
		t.Errorf("documents %+v", docs)
	}
}

func TestBillsRefused(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	account, code := w.id("select * from Account where Name = 'Office Expenses'"), w.id("select * from TaxCode where Name = '20.0% S'")
	lines := func(l m) m { return m{"Line": []any{l}} }
	for name, tt := range map[string]struct {
		change m
		code   string
	}{
		"no vendor":          {m{"VendorRef": nil}, "2020"},
		"unknown vendor":     {m{"VendorRef": m{"value": "999"}}, "2500"},
		"inactive vendor":    {m{"VendorRef": m{"value": w.id("select * from Vendor where Active = false")}}, "610"},
		"no lines":           {m{"Line": []any{}}, "2020"},
		"long number":        {m{"DocNumber": strings.Repeat("1", 22)}, "2050"},
		"bad date":           {m{"TxnDate": "01.03.2026"}, "2090"},
		"unknown field":      {m{"Total": "1"}, "2010"},
		"unknown account":    {lines(line("999", code, "1")), "2500"},
		"inactive account":   {lines(line(w.id("select * from Account where Active = false"), code, "1")), "610"},
		"account of no use":  {lines(line(w.id("select * from Account where AccountType = 'Non-Posting'"), code, "1")), "6000"},
		"no tax code":        {lines(line(account, "", "1")), "6000"},
		"unknown tax code":   {lines(line(account, "999", "1")), "2500"},
		"tax of sales":       {lines(line(account, w.id("select * from TaxCode where Name = '20.0% sales only'"), "1")), "6000"},
		"below zero":         {lines(line(account, code, "-1")), "6000"},
		"enormous amount":    {lines(line(account, code, "1e999999999")), "2010"},
		"other currency":     {m{"CurrencyRef": m{"value": "EUR"}}, "6000"},
		"currency not there": {m{"CurrencyRef": m{"value": "XTS"}}, "2500"},
	} {
		if r := w.do(400, "POST", "bill", w.bill("R-1", tt.change)); r.code() != tt.code || r.at("Fault", "type") != "ValidationFault" {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
	if err := w.sim.CloseBooks(w.realm, start); err != nil {
		t.Fatal(err)
	}
	if r := w.do(400, "POST", "bill", w.bill("R-1", nil)); r.code() != "6210" {
		t.Errorf("closed: %s", r.raw)
	}
	if docs := w.sim.Documents(w.realm); len(docs) != 0 {
		t.Errorf("documents %+v", docs)
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	account, code := w.id("select * from Account where Name = 'Office Expenses'"), w.id("select * from TaxCode where Name = '20.0% S'")
	split, none := w.id("select * from TaxCode where Name = '12.0% split'"), w.id("select * from TaxCode where Name = 'No VAT'")
	for n, tt := range []struct {
		how        string
		lines      []any
		total, tax string
	}{
		{"TaxExcluded", []any{line(account, code, "0.33"), line(account, code, "0.33"), line(account, code, "0.33")}, "1.19", "0.2"},
		{"TaxInclusive", []any{line(account, code, "120")}, "120", "20"},
		{"TaxExcluded", []any{line(account, split, "100"), line(account, none, "7.5")}, "119.5", "12"},
		{"NotApplicable", []any{line(account, "", "100.10"), line(account, "", "-0.10")}, "100", "0"},
	} {
		w.do(200, "POST", "bill", w.bill(fmt.Sprint(n), m{"GlobalTaxCalculation": tt.how, "Line": tt.lines}))
		docs := w.sim.Documents(w.realm)
		if d := docs[len(docs)-1]; d.Total != tt.total || d.Tax != tt.tax {
			t.Errorf("%s: %+v, want %s with %s", tt.how, d, tt.total, tt.tax)
		}
	}
	us := connected(t, quickbooks.USCompany, nil)
	r := us.do(200, "POST", "bill", m{
		"VendorRef": m{"value": "51"}, "Line": []any{line(us.id("select * from Account where Name = 'Office Expenses'"), "", "10")}, "GlobalTaxCalculation": "NotApplicable",
	})
	if r.at("Bill", "TotalAmt") != 10.0 || r.at("Bill", "TxnTaxDetail") != nil {
		t.Errorf("in US: %s", r.raw)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	first := w.do(200, "POST", "bill?requestid=r1", w.bill("R-1", nil))
	again := w.do(200, "POST", "bill?requestid=r1", w.bill("R-2", nil))
	if again.raw != first.raw || len(w.sim.Documents(w.realm)) != 1 {
		t.Errorf("again: %s", again.raw)
	}
	w.do(400, "POST", "bill?requestid=r2", w.bill("R-1", nil))
	w.do(200, "POST", "bill?requestid=r2", w.bill("R-3", nil))
	if r := w.do(400, "POST", "bill?requestid="+strings.Repeat("r", 51), w.bill("R-4", nil)); r.code() != "2050" {
		t.Errorf("a long one: %s", r.raw)
	}
	w.sim.ForgetRequests()
	w.do(400, "POST", "bill?requestid=r1", w.bill("R-1", nil))
}

// multipartBody is an upload of files, each with its metadata or none.
func multipartBody(t testing.TB, metadata, name, media string, content []byte) (body, contentType string) {
	t.Helper()
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	part := func(field, file, media string, raw []byte) {
		h := textproto.MIMEHeader{"Content-Type": {media}}
		h.Set("Content-Disposition", fmt.Sprintf(`form-data; name="%s"; filename="%s"`, field, file))
		p, err := form.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(raw); err != nil {
			t.Fatal(err)
		}
	}
	if metadata != "" {
		part("file_metadata_0", "metadata.json", "application/json", []byte(metadata))
	}
	part("file_content_0", name, media, content)
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), form.FormDataContentType()
}

func TestUpload(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	id, _ := w.do(200, "POST", "bill", w.bill("R-1", nil)).at("Bill", "Id").(string)
	on := `{"AttachableRef":[{"EntityRef":{"type":"Bill","value":"` + id + `"}}],"FileName":"a.pdf","ContentType":"application/pdf"}`
	upload := func(metadata, name, media string) reply {
		body, kind := multipartBody(t, metadata, name, media, []byte("%PDF-"))
		return w.do(200, "POST", "upload", body, "Content-Type", kind)
	}
	r := upload(on, "a.pdf", "application/pdf")
	if r.at("AttachableResponse", 0, "Attachable", "FileName") != "a.pdf" || r.at("AttachableResponse", 0, "Attachable", "Size") != 5.0 {
		t.Errorf("uploaded %s", r.raw)
	}
	statement := "select * from Attachable where AttachableRef.EntityRef.Type = 'bill' and AttachableRef.EntityRef.value = '" + id + "'"
	if list := w.query(200, statement).list("Attachable"); len(list) != 1 {
		t.Errorf("attachables %v", list)
	}
	for _, refused := range []reply{
		upload(strings.Replace(on, "application/pdf", "text/plain", 1), "a.txt", "text/plain"),
		upload(strings.Replace(on, `"`+id+`"`, `"999"`, 1), "a.pdf", "application/pdf"),
	} {
		if refused.at("AttachableResponse", 0, "Fault", "Error", 0, "code") == nil {
			t.Errorf("want a fault within: %s", refused.raw)
		}
	}
	alone := upload("", "b.pdf", "application/pdf").at("AttachableResponse", 0, "Attachable", "Id")
	w.do(200, "POST", "attachable?operation=update", m{
		"Id": alone, "SyncToken": "0", "sparse": true, "AttachableRef": []any{m{"EntityRef": m{"type": "bill", "value": id}}},
	})
	if d := w.sim.Documents(w.realm)[0]; len(d.Attachments) != 2 {
		t.Errorf("attachments %v", d.Attachments)
	}
	w.do(400, "POST", "upload", "x")
}

func TestControls(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	id, _ := w.do(200, "POST", "bill", w.bill("R-1", nil)).at("Bill", "Id").(string)
	control := func(status int, path, body string) {
		t.Helper()
		resp, err := http.Post(w.url+"/_sim/"+path, "application/json", strings.NewReader(body))
		if got, _, text := w.read(resp, err); got != status {
			t.Errorf("%s %s: %d %s", path, body, got, text)
		}
	}
	control(200, "seed", `{"realm_id":"`+w.realm+`","list":"Vendor","count":30}`)
	control(400, "seed", `{"realm_id":"1","list":"Vendor","count":30}`)
	if n := w.query(200, "select count(*) from Vendor where DisplayName like 'Seeded %'").at("QueryResponse", "totalCount"); n != 27.0 {
		t.Errorf("%v active vendors", n)
	}
	control(200, "documents", `{"realm_id":"`+w.realm+`","type":"Bill","id":"`+id+`","number":"R-9"}`)
	control(200, "close", `{"realm_id":"`+w.realm+`","until":"2026-03-01"}`)
	if got := w.do(200, "GET", "preferences", nil).at("Preferences", "AccountingInfoPrefs", "BookCloseDate"); got != "2026-03-01" {
		t.Errorf("closed until %v", got)
	}
	control(200, "documents", `{"realm_id":"`+w.realm+`","type":"Bill","id":"`+id+`","delete":true}`)
	control(400, "documents", `{"realm_id":"`+w.realm+`","type":"Bill","id":"`+id+`","delete":true}`)
	control(200, "limits", `{"second":1,"refresh_rotation":"1h"}`)
	control(400, "limits", `{"second":"x"}`)
	control(200, "settings", `{"auto_approve":false}`)
	control(200, "forget", `{}`)
	control(200, "disconnect", `{"realm_id":"`+w.realm+`"}`)
	status, _, body := w.get("/_sim/state")
	if status != 200 || strings.Contains(body, w.tokens.Refresh) || strings.Contains(body, clientSecret) || !strings.Contains(body, `"R-9"`) {
		t.Errorf("state: %d %s", status, body)
	}
	var state struct{ Grants []any }
	if err := json.Unmarshal([]byte(body), &state); err != nil || len(state.Grants) != 0 {
		t.Errorf("grants %v, %v", state.Grants, err)
	}
}
