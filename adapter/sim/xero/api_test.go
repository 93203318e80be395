package xero_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/sim/kit"
	"docledger/adapter/sim/xero"
)

func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	for name, tc := range map[string]struct {
		status int
		detail string
		header []string
	}{
		"no token":       {401, "AuthenticationUnsuccessful", []string{"Authorization", ""}},
		"other token":    {401, "AuthenticationUnsuccessful", []string{"Authorization", "Bearer nothing"}},
		"no tenant":      {403, "AuthenticationUnsuccessful", []string{"xero-tenant-id", ""}},
		"foreign tenant": {403, "AuthenticationUnsuccessful", []string{"xero-tenant-id", "a3f4c6b2-6b0d-4a1f-8d65-0d0a5f0f1099"}},
	} {
		r := w.do(tc.status, http.MethodGet, "/Accounts", nil, tc.header...)
		if r.body["Detail"] != tc.detail || r.body["Status"] != float64(tc.status) {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
	w.tokens = w.exchange(w.authorize(map[string]string{"scope": "accounting.settings.read accounting.invoices.read"}).Get("code"), nil)
	w.do(http.StatusOK, http.MethodGet, "/Accounts", nil)
	w.do(http.StatusOK, http.MethodGet, "/Invoices", nil)
	for method, path := range map[string]string{http.MethodGet: "/Contacts", http.MethodPut: "/Invoices"} {
		if r := w.do(http.StatusUnauthorized, method, path, m{}); r.body["Detail"] != "AuthorizationUnsuccessful" {
			t.Errorf("a missing scope: %s", r.raw)
		}
	}
	w.tokens = w.exchange(w.authorize(map[string]string{"scope": "accounting.transactions"}).Get("code"), nil)
	w.do(http.StatusOK, http.MethodPut, "/Invoices", bill("BROAD", nil))
}

func TestXMLUnlessJSONIsAskedFor(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	for _, path := range []string{"/Accounts", "/Contacts?page=1", "/TaxRates", "/Currencies", "/Organisation", "/Invoices/nothing"} {
		r := w.call(http.MethodGet, path, nil, "Accept", "*/*")
		if !strings.HasPrefix(r.header.Get("Content-Type"), "text/xml") {
			t.Errorf("%s is %s", path, r.header.Get("Content-Type"))
		}
		for d := xml.NewDecoder(strings.NewReader(r.raw)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v: %s", path, err, r.raw)
			}
		}
	}
	r := w.call(http.MethodGet, "/Accounts", nil, "Accept", "")
	if !strings.Contains(r.raw, "<Account><AccountID>") || !strings.Contains(r.raw, "Consulting &amp; Accounting") {
		t.Errorf("accounts: %.300s", r.raw)
	}
}

func TestCharts(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	for _, tenant := range []string{xero.TaxedOrganization, xero.UntaxedOrganization} {
		r := w.do(http.StatusOK, http.MethodGet, "/Accounts", nil, "xero-tenant-id", tenant)
		seen := map[string]int{}
		cards, archived, withoutCode := 0, 0, 0
		for _, item := range r.list("Accounts") {
			a := item.(map[string]any)
			seen[a["Type"].(string)]++
			if a["BankAccountType"] == "CREDITCARD" && a["Type"] == "BANK" {
				cards++
			}
			if a["Status"] == "ARCHIVED" {
				archived++
			}
			if a["Code"] == nil {
				withoutCode++
			}
		}
		for _, want := range []string{
			"BANK", "CURRENT", "CURRLIAB", "DEPRECIATN", "DIRECTCOSTS", "EQUITY", "EXPENSE", "FIXED", "INVENTORY", "LIABILITY",
			"NONCURRENT", "OTHERINCOME", "OVERHEADS", "PREPAYMENT", "REVENUE", "SALES", "TERMLIAB", "PAYG",
		} {
			if seen[want] == 0 {
				t.Errorf("no account of type %s", want)
			}
		}
		if cards != 1 || archived != 1 || withoutCode != 1 || len(seen) != 18 {
			t.Errorf("%d cards, %d archived, %d without a code, %d types", cards, archived, withoutCode, len(seen))
		}
	}
	taxed := w.do(http.StatusOK, http.MethodGet, "/Organisation", nil)
	untaxed := w.do(http.StatusOK, http.MethodGet, "/Organisation", nil, "xero-tenant-id", xero.UntaxedOrganization)
	if taxed.at("Organisations", 0, "PaysTax") != true || untaxed.at("Organisations", 0, "PaysTax") != false ||
		taxed.at("Organisations", 0, "OrganisationID") != xero.TaxedOrganization {
		t.Errorf("%s %s", taxed.raw, untaxed.raw)
	}
	rates := w.do(http.StatusOK, http.MethodGet, "/TaxRates", nil)
	if !strings.Contains(rates.raw, `"EffectiveRate":13.5000`) || rates.at("TaxRates", 8, "Status") != "ARCHIVED" {
		t.Errorf("rates: %s", rates.raw)
	}
	if n := len(w.do(http.StatusOK, http.MethodGet, "/Currencies", nil).list("Currencies")); n != 4 {
		t.Errorf("%d currencies", n)
	}
}

func TestContactsHavePages(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	if err := w.sim.AddContacts(xero.TaxedOrganization, 1195); err != nil {
		t.Fatal(err)
	}
	first := w.do(http.StatusOK, http.MethodGet, "/Contacts?includeArchived=true", nil)
	if len(first.list("Contacts")) != 100 || first.at("pagination", "itemCount") != 1200.0 || first.at("pagination", "pageCount") != 12.0 {
		t.Errorf("first page: %d, %v", len(first.list("Contacts")), first.body["pagination"])
	}
	second := w.do(http.StatusOK, http.MethodGet, "/Contacts?includeArchived=true&page=2&pageSize=1000", nil)
	if len(second.list("Contacts")) != 200 {
		t.Errorf("second page of 1000: %d", len(second.list("Contacts")))
	}
	beyond := w.do(http.StatusOK, http.MethodGet, "/Contacts?page=99", nil)
	if len(beyond.list("Contacts")) != 0 {
		t.Errorf("beyond the end: %d", len(beyond.list("Contacts")))
	}
	inUse := w.do(http.StatusOK, http.MethodGet, "/Contacts?pageSize=1", nil)
	if inUse.at("pagination", "itemCount") != 1080.0 {
		t.Errorf("without archived: %v", inUse.body["pagination"])
	}
	for _, bad := range []string{"page=0", "page=x", "pageSize=1001", "page=-1"} {
		w.do(http.StatusBadRequest, http.MethodGet, "/Contacts?"+bad, nil)
	}
	found := w.do(http.StatusOK, http.MethodGet, "/Contacts?where="+url.QueryEscape(`TaxNumber=="DE123456789" AND ContactStatus=="ACTIVE"`), nil)
	if len(found.list("Contacts")) != 1 || found.at("Contacts", 0, "ContactID") != musterID {
		t.Errorf("by tax number: %s", found.raw)
	}
}

func TestContactsAreMade(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	made := w.do(http.StatusOK, http.MethodPut, "/Contacts", m{"Contacts": []any{m{"Name": "Neu AG", "TaxNumber": "DE1"}}})
	id, _ := made.at("Contacts", 0, "ContactID").(string)
	if got := w.do(http.StatusOK, http.MethodGet, "/Contacts/"+id, nil); got.at("Contacts", 0, "Name") != "Neu AG" {
		t.Errorf("made: %s", got.raw)
	}
	again := w.do(http.StatusBadRequest, http.MethodPut, "/Contacts", m{"Contacts": []any{m{"Name": "neu ag"}}})
	if text, _ := again.at("Elements", 0, "ValidationErrors", 0, "Message").(string); !strings.Contains(text, "already assigned") {
		t.Errorf("the same name: %s", again.raw)
	}
	changed := w.do(http.StatusOK, http.MethodPost, "/Contacts", m{"Contacts": []any{m{"ContactID": id, "EmailAddress": "a@b.example"}}})
	if changed.at("Contacts", 0, "Name") != "Neu AG" || changed.at("Contacts", 0, "EmailAddress") != "a@b.example" {
		t.Errorf("changed: %s", changed.raw)
	}
	w.do(http.StatusBadRequest, http.MethodPut, "/Contacts", m{"Contacts": []any{m{}}})
	w.do(http.StatusNotFound, http.MethodGet, "/Contacts/"+xero.TaxedOrganization, nil)
}

func TestFixedWindows(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	for n := range 60 {
		r := w.do(http.StatusOK, http.MethodGet, "/Currencies", nil)
		if left := r.header.Get("X-MinLimit-Remaining"); left != fmt.Sprint(59-n) {
			t.Fatalf("after %d calls %s are left", n+1, left)
		}
	}
	r := w.do(http.StatusTooManyRequests, http.MethodGet, "/Currencies", nil)
	if r.header.Get("X-Rate-Limit-Problem") != "minute" || r.header.Get("Retry-After") != "60" || r.header.Get("X-DayLimit-Remaining") != "4940" {
		t.Errorf("headers: %v", r.header)
	}
	w.do(http.StatusOK, http.MethodGet, "/Currencies", nil, "xero-tenant-id", xero.UntaxedOrganization)
	w.do(http.StatusOK, http.MethodGet, "/connections", nil)
	w.sim.Kit.Clock.Advance(time.Minute)
	w.do(http.StatusOK, http.MethodGet, "/Currencies", nil)

	w.sim.SetLimits(func(l *xero.Limits) { l.Day = 61 })
	r = w.do(http.StatusTooManyRequests, http.MethodGet, "/Currencies", nil)
	if r.header.Get("X-Rate-Limit-Problem") != "day" || r.header.Get("Retry-After") != "52140" { // until midnight
		t.Errorf("headers: %v", r.header)
	}
	w.sim.SetLimits(func(l *xero.Limits) { l.Day, l.AppMinute = 0, 1 })
	w.do(http.StatusTooManyRequests, http.MethodGet, "/connections", nil)
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	if err := w.sim.Kit.Inject(kit.Fault{Match: "GET /api.xro/2.0/Currencies", Times: 5, Action: "delay:10m"}); err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var waiting sync.WaitGroup
	client := &http.Client{}
	for range 5 {
		req := w.request(http.MethodGet, "/api.xro/2.0/Currencies", nil)
		req.Header.Set("Authorization", "Bearer "+w.tokens.Access)
		req.Header.Set("xero-tenant-id", xero.TaxedOrganization)
		req = req.WithContext(ctx)
		waiting.Go(func() {
			if resp, err := client.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		})
	}
	for len(w.sim.Kit.Faults()) > 0 { // until all five are in progress
		runtime.Gosched()
	}
	r := w.do(http.StatusTooManyRequests, http.MethodGet, "/Currencies", nil)
	if r.header.Get("X-Rate-Limit-Problem") != "concurrent" || r.header.Get("Retry-After") != "" {
		t.Errorf("headers: %v", r.header)
	}
	w.do(http.StatusOK, http.MethodGet, "/Currencies", nil, "xero-tenant-id", xero.UntaxedOrganization)
	leave()
	waiting.Wait()
}

func TestControls(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	post := func(path, body string) (int, string) {
		resp, err := http.Post(w.url+"/_sim/"+path, "application/json", strings.NewReader(body))
		status, _, text := w.read(resp, err)
		return status, text
	}
	if status, text := post("limits", `{"minute":3,"refresh_grace":"0s"}`); status != http.StatusOK || !strings.Contains(text, `"minute":3`) {
		t.Errorf("limits: %d %s", status, text)
	}
	if status, text := post("contacts", `{"organization_id":"`+xero.TaxedOrganization+`","count":7}`); status != http.StatusOK || !strings.Contains(text, "12") {
		t.Errorf("contacts: %d %s", status, text)
	}
	if status, _ := post("settings", `{"auto_approve":false}`); status != http.StatusOK {
		t.Errorf("settings: %d", status)
	}
	for path, body := range map[string]string{
		"limits": `{"minutes":1}`, "contacts": `{"organization_id":"x","count":1}`, "settings": `{`, "bills": `{"organization_id":"` + xero.TaxedOrganization + `","id":"x","status":"VOIDED"}`,
	} {
		if status, _ := post(path, body); status != http.StatusBadRequest {
			t.Errorf("%s %s: %d", path, body, status)
		}
	}
	if status, text := post("disconnect", `{"organization_id":"`+xero.TaxedOrganization+`"}`); status != http.StatusOK || !strings.Contains(text, "1") {
		t.Errorf("disconnect: %d %s", status, text)
	}
	w.do(http.StatusForbidden, http.MethodGet, "/Accounts", nil)
	_, _, state := w.get("/_sim/state")
	var shown struct{ Organizations []struct{ Name string } }
	if err := json.Unmarshal([]byte(state), &shown); err != nil || len(shown.Organizations) != 2 {
		t.Errorf("state: %v %s", err, state)
	}
	for _, secret := range []string{clientSecret, w.tokens.Refresh, w.tokens.Access} {
		if strings.Contains(state, secret) {
			t.Error("the state shows a secret")
		}
	}
	names := []string{}
	for _, r := range w.sim.Kit.Requests() {
		names = append(names, r.Header["Authorization"])
	}
	if slices.ContainsFunc(names, func(s string) bool { return strings.Contains(s, "Bearer ey") }) {
		t.Error("the record shows a token")
	}
}
