package e2e

import (
	"net/http"
	"strings"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/test/lib/harness"
)

// four is an invoice with four WARNINGs: its IBAN and tax id have wrong check
// digits, its date is long ago, and its buyer is another company.
func four(number string) []byte {
	return []byte(strings.NewReplacer(
		"DE136695976", "DE136695975", "2026-01-15", "2014-01-15", "2026-02-14", "2014-02-14",
		"<cac:TaxTotal>", `<cac:PaymentMeans><cbc:PaymentMeansCode>58</cbc:PaymentMeansCode><cac:PayeeFinancialAccount><cbc:ID>DE89370400440532013001</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans><cac:TaxTotal>`,
	).Replace(string(harness.UBL(number))))
}

var warningRules = []string{"iban_checksum", "tax_id_checksum", "date_plausible", "buyer_is_entity", "bank_account_known"}

// TestSystemApprovesOnlyWhatPassedEveryCheck verifies that WARNINGs prevent
// approval by the system after extraction, after a correction and at a sync,
// unless the entity ignores each of them by name.
func TestSystemApprovesOnlyWhatPassedEveryCheck(t *testing.T) {
	t.Parallel()
	l, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(l))
	org := s.NewOrganization("Unattended")
	token, settings := org.Admin.Token, "/api/settings/"+org.Entity.String()
	id := s.Activate(org, org.Entity, l, l.Tenants[0])
	account := s.Do(http.MethodGet, "/api/v1/integrations/"+id+"/accounting-accounts?account_types=EXPENSE", token, nil).OK().Text("items", 0, "id")
	preset := s.Do(http.MethodPut, settings, token, map[string]any{"approval_required": false, "auto_sync": true, "default_account_id": account}).OK()
	if preset.Len("auto_approve_ignore") != 0 {
		t.Errorf("the default is %s", preset.Raw)
	}
	up := s.Upload(token, org.Entity, "four.xml", four("F-1")).OK()
	inv := s.Extract(token, up.Text("id")).OK()
	for _, rule := range warningRules {
		if !failed(inv, rule) {
			t.Fatalf("%s passed: %s", rule, inv.Raw)
		}
	}
	path := "/api/invoices/" + inv.Text("id")
	if inv.Text("status") != "EXTRACTED" || inv.At("sync") != nil {
		t.Errorf("with failed WARNINGs: %s %s", inv.Text("status"), inv.Raw)
	}
	refused := s.Do(http.MethodPost, path+"/sync", token, nil).Want(400, "conflict")
	if refused.Len("error", "details", "checks") != len(warningRules) || refused.Text("error", "details", "checks", 0, "rule") == "" {
		t.Errorf("a sync says %s", refused.Raw)
	}
	for i := range warningRules {
		s.Do(http.MethodPut, settings, token, map[string]any{"auto_approve_ignore": warningRules[:i]}).OK()
		if now := s.Do(http.MethodPatch, path, token, map[string]any{"note": "n" + warningRules[i]}).OK(); now.Text("status") != "EXTRACTED" {
			t.Fatalf("ignoring %v: %s", warningRules[:i], now.Text("status"))
		}
	}
	got := s.Do(http.MethodPut, settings, token, map[string]any{"auto_approve_ignore": warningRules}).OK()
	if got.Len("auto_approve_ignore") != len(warningRules) {
		t.Errorf("settings %s", got.Raw)
	}
	if now := s.Do(http.MethodPatch, path, token, map[string]any{"note": "last"}).OK(); now.Text("status") != "APPROVED" || now.At("approval", "by") != nil || now.At("sync") == nil {
		t.Errorf("ignoring all: %s", now.Raw)
	}
	if now := s.Do(http.MethodPut, settings, token, map[string]any{"auto_approve_ignore": nil}).OK(); now.Len("auto_approve_ignore") != 0 {
		t.Errorf("null resets to %s", now.Raw)
	}
	// A person may approve a waiting invoice at any time, because WARNINGs need
	// no acknowledgement. The supplier is known by now, so its account is BLOCKING.
	waits := s.Extract(token, s.Upload(token, org.Entity, "two.xml", four("F-2")).OK().Text("id")).OK()
	s.Do(http.MethodPost, "/api/invoices/"+waits.Text("id")+"/approve", token, map[string]any{"version": waits.Number("version"), "acknowledge_checks": []string{"bank_account_known"}}).OK()
}

// TestOnlyWarningsCanBeIgnored verifies that unknown rules and rules without
// WARNINGs are refused, and that a failed BLOCKING check is not ignored.
func TestOnlyWarningsCanBeIgnored(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Ignore")
	token, settings := org.Admin.Token, "/api/settings/"+org.Entity.String()
	for _, rules := range []any{[]string{"gross_sum"}, []string{"is_purchase"}, []string{"no_such_rule"}, []string{"buyer_is_entity", "buyer_is_entity"}, "all", []any{nil}} {
		s.Do(http.MethodPut, settings, token, map[string]any{"auto_approve_ignore": rules}).Want(400, "invalid_request")
	}
	all := invoice.WarningRules()
	if got := s.Do(http.MethodPut, settings, token, map[string]any{"auto_approve_ignore": all, "approval_required": false}).OK(); got.Len("auto_approve_ignore") != len(all) {
		t.Errorf("settings %s", got.Raw)
	}
	future := []byte(strings.NewReplacer("2026-01-15", "2126-01-15", "2026-02-14", "2126-02-14").Replace(string(harness.UBL("X-1"))))
	if inv := s.Extract(token, s.Upload(token, org.Entity, "x.xml", future).OK().Text("id")).OK(); inv.Text("status") != "NEEDS_REVIEW" {
		t.Errorf("dated in the future: %s", inv.Raw)
	}
}

// TestFourEyesIsNeverTheSystem verifies that the system approves nothing if a
// second person must approve.
func TestFourEyesIsNeverTheSystem(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Second")
	token := org.Admin.Token
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{
		"approval_required": false, "four_eyes": true, "auto_approve_ignore": []string{"buyer_is_entity"},
	}).OK()
	inv := s.Extract(token, s.Upload(token, org.Entity, "e.xml", harness.UBL("E-9")).OK().Text("id")).OK()
	if inv.Text("status") != "EXTRACTED" {
		t.Errorf("the system approved: %s", inv.Raw)
	}
	s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/sync", token, nil).Want(400, "conflict")
}

// TestFailedChecksAreAcknowledged approves an invoice with two failed BLOCKING
// checks only if the approver names exactly these two.
func TestFailedChecksAreAcknowledged(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Acknowledge")
	token := org.Admin.Token
	content := strings.Replace(string(harness.UBLOf("K-1", "100.00", "19.00", "190.00")), "2026-01-15", "2126-01-15", 1)
	inv := s.Extract(token, s.Upload(token, org.Entity, "k.xml", []byte(content)).OK().Text("id")).OK()
	path := "/api/invoices/" + inv.Text("id")
	if !failed(inv, "gross_sum") || !failed(inv, "date_plausible") || !failed(inv, "buyer_is_entity") {
		t.Fatalf("invoice %s", inv.Raw)
	}
	approve := func(rules ...string) harness.Response {
		body := map[string]any{"version": 1}
		if rules != nil {
			body["acknowledge_checks"] = rules
		}
		return s.Do(http.MethodPost, path+"/approve", token, body)
	}
	for _, rules := range [][]string{
		nil, {}, {"gross_sum"}, {"gross_sum", "tax_sum"}, {"gross_sum", "date_plausible", "tax_sum"}, {"gross_sum", "date_plausible", "no_such_rule"},
	} {
		r := approve(rules...).Want(400, "checks_failed")
		var named []string
		for i := range r.Len("error", "details", "checks") {
			named = append(named, r.Text("error", "details", "checks", i, "rule"))
			if r.Text("error", "details", "checks", i, "severity") != "BLOCKING" || r.At("error", "details", "checks", i, "passed") != false {
				t.Errorf("%v: %s", rules, r.Raw)
			}
		}
		if strings.Join(named, " ") != "gross_sum date_plausible" {
			t.Errorf("%v: details.checks names %v", rules, named)
		}
	}
	s.Do(http.MethodPost, path+"/approve", token, map[string]any{"version": 9, "acknowledge_checks": []string{"gross_sum"}}).Want(400, "version_conflict")
	if r := approve("gross_sum", "date_plausible", "buyer_is_entity").OK(); r.Text("status") != "APPROVED" {
		t.Errorf("acknowledged: %s", r.Raw)
	}
	approve().OK() // again: nothing to do
	history := s.Do(http.MethodGet, path+"/history", token, nil).OK()
	if got := history.Text("items", history.Len("items")-1, "data", "acknowledged_checks"); got != "gross_sum,date_plausible,buyer_is_entity" {
		t.Errorf("the history says %q", got)
	}
	// No check failed, so there is nothing to acknowledge.
	good := s.Extract(token, s.Upload(token, org.Entity, "g.xml", harness.UBL("K-2")).OK().Text("id")).OK()
	r := s.Do(http.MethodPost, "/api/invoices/"+good.Text("id")+"/approve", token, map[string]any{"version": 1, "acknowledge_checks": []string{"gross_sum"}}).Want(400, "checks_failed")
	if r.At("error", "details", "checks") == nil || r.Len("error", "details", "checks") != 0 {
		t.Errorf("nothing failed: %s", r.Raw)
	}
	other := s.NewPerson(org.ID, identity.RoleMember)
	s.SetMembers(org, entity.AccessRestricted, entity.Member{UserID: other.ID, Role: identity.Editor})
	s.Do(http.MethodPost, "/api/invoices/"+good.Text("id")+"/approve", other.Token, map[string]any{"version": 1}).Want(403, "forbidden")
}
