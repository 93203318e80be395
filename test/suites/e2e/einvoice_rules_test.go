package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

// peppol is an invoice that violates no rule of EN 16931 and Peppol, with a
// number of its own.
func peppol(t *testing.T, number string, replace ...string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../adapter/extract/einvoice/rules/testdata/ubl-invoice.xml")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(data), "F-2026-0815", number)
	return []byte(strings.NewReplacer(replace...).Replace(doc))
}

func check(r harness.Response, rule string) (severity string, passed, found bool, text string) {
	for i := range r.Len("checks") {
		if r.Text("checks", i, "rule") == rule {
			text, _ = r.At("checks", i, "found").(string)
			return r.Text("checks", i, "severity"), r.At("checks", i, "passed") == true, true, text
		}
	}
	return "", false, false, ""
}

// TestEInvoiceRules verifies that a violated official rule fails the check
// einvoice_rules with the severity of the entity, and that /validation shows
// every violated rule.
func TestEInvoiceRules(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Rules")
	token, settings := org.Admin.Token, "/api/settings/"+org.Entity.String()
	if got := s.Do(http.MethodGet, settings, token, nil).OK(); got.Text("einvoice_rules") != "WARN" {
		t.Errorf("the default is %s", got.Raw)
	}
	s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules": "MAYBE"}).Want(400, "invalid_request")

	good := s.Extract(token, s.Upload(token, org.Entity, "good.xml", peppol(t, "G-1")).OK().Text("id")).OK()
	if severity, passed, found, _ := check(good, "einvoice_rules"); !found || !passed || severity != "WARNING" {
		t.Errorf("a valid invoice: %s", good.Raw)
	}
	v := s.Do(http.MethodGet, "/api/invoices/"+good.Text("id")+"/validation", token, nil).OK()
	if v.Text("outcome") != "VALID" || v.Len("findings") != 0 || v.Len("rule_sets") != 2 || v.Text("format") != "ubl" {
		t.Errorf("a valid invoice: %s", v.Raw)
	}

	// No buyer reference and order, an unknown unit, and an element that
	// EN 16931 does not use: three fatal rules, one warning.
	broken := []string{"<cbc:BuyerReference>04011000-12345-03</cbc:BuyerReference>", "",
		"<cac:OrderReference><cbc:ID>PO-77</cbc:ID><cbc:SalesOrderID>SO-88</cbc:SalesOrderID></cac:OrderReference>", "",
		`unitCode="C62"`, `unitCode="NONE"`, "<cbc:Note>As ordered</cbc:Note>", "<cbc:UUID>1</cbc:UUID><cbc:Note>As ordered</cbc:Note>"}
	for i, c := range []struct{ setting, severity, status string }{
		{"WARN", "WARNING", "EXTRACTED"}, {"BLOCK", "BLOCKING", "NEEDS_REVIEW"}, {"OFF", "", "EXTRACTED"},
	} {
		s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules": c.setting}).OK()
		number := "B-" + string(rune('1'+i))
		inv := s.Extract(token, s.Upload(token, org.Entity, number+".xml", peppol(t, number, broken...)).OK().Text("id")).OK()
		severity, passed, found, text := check(inv, "einvoice_rules")
		if found != (c.severity != "") || found && (passed || severity != c.severity || text != "BR-CL-23, PEPPOL-EN16931-R003, DE-R-015") {
			t.Errorf("%s: %s %v %q", c.setting, severity, passed, text)
		}
		if inv.Text("status") != c.status {
			t.Errorf("%s: status %s", c.setting, inv.Text("status"))
		}
		path := "/api/invoices/" + inv.Text("id")
		v := s.Do(http.MethodGet, path+"/validation", token, nil).OK()
		if v.Text("outcome") != "INVALID" || v.Len("findings") != 4 || v.Text("findings", 0, "severity") != "FATAL" ||
			v.Text("findings", 3, "rule") != "UBL-CR-515" || v.Text("findings", 0, "elements", 0) != "/Invoice/InvoiceLine[2]/InvoicedQuantity" {
			t.Errorf("%s: %s", c.setting, v.Raw)
		}
		if now := s.Do(http.MethodGet, path, token, nil).OK(); now.Number("version") != inv.Number("version") || now.Text("status") != c.status {
			t.Errorf("%s: a validation changed the invoice: %s", c.setting, now.Raw)
		}
	}
	// A rule of severity warning appears only in the validation, and an approval needs no
	// acknowledgement of it.
	s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules": "BLOCK"}).OK()
	minor := s.Extract(token, s.Upload(token, org.Entity, "minor.xml", peppol(t, "M-1", broken[6:]...)).OK().Text("id")).OK()
	if _, passed, found, _ := check(minor, "einvoice_rules"); !found || !passed || minor.Text("status") != "EXTRACTED" {
		t.Errorf("a violated rule of severity warning: %s", minor.Raw)
	}
	v = s.Do(http.MethodGet, "/api/invoices/"+minor.Text("id")+"/validation", token, nil).OK()
	if v.Text("outcome") != "VALID" || v.Len("findings") != 1 || v.Text("findings", 0, "severity") != "WARNING" {
		t.Errorf("a violated rule of severity warning: %s", v.Raw)
	}
	s.Do(http.MethodPost, "/api/invoices/"+minor.Text("id")+"/approve", token, map[string]any{"version": minor.Number("version")}).OK()
	// The rules of EN 16931 are ignored, those of Peppol block: the values that
	// the document violates are those of Peppol alone.
	byProfile := func(effects ...string) []any {
		var list []any
		for i := 0; i+1 < len(effects); i += 2 {
			list = append(list, map[string]any{"profile": effects[i], "effect": effects[i+1]})
		}
		return list
	}
	for i, c := range []struct {
		profiles              []any
		severity, found, want string
	}{
		{byProfile("EN16931", "OFF", "PEPPOL_BIS_3", "BLOCK"), "BLOCKING", "PEPPOL-EN16931-R003, DE-R-015", "NEEDS_REVIEW"},
		{byProfile("EN16931", "BLOCK", "PEPPOL_BIS_3", "OFF"), "BLOCKING", "BR-CL-23", "NEEDS_REVIEW"},
		{byProfile("XRECHNUNG", "BLOCK"), "WARNING", "BR-CL-23, PEPPOL-EN16931-R003, DE-R-015", "EXTRACTED"},
		{byProfile("EN16931", "OFF", "PEPPOL_BIS_3", "OFF"), "", "", "EXTRACTED"},
	} {
		set := s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules": "WARN", "einvoice_rules_by_profile": c.profiles}).OK()
		if set.Len("einvoice_rules_by_profile") != len(c.profiles) {
			t.Errorf("stored: %s", set.Raw)
		}
		number := "P-" + string(rune('1'+i))
		inv := s.Extract(token, s.Upload(token, org.Entity, number+".xml", peppol(t, number, broken...)).OK().Text("id")).OK()
		severity, passed, found, text := check(inv, "einvoice_rules")
		if found != (c.severity != "") || passed || severity != c.severity || text != c.found || inv.Text("status") != c.want {
			t.Errorf("%v: %s %v %q, status %s", c.profiles, severity, passed, text, inv.Text("status"))
		}
		if !found {
			continue
		}
		// A correction evaluates the check with the settings of its time.
		s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules_by_profile": nil}).OK()
		corrected := s.Do(http.MethodPatch, "/api/invoices/"+inv.Text("id"), token, map[string]any{"purchase_order": "PO-2"}).OK()
		if severity, _, _, text := check(corrected, "einvoice_rules"); severity != "WARNING" || text != "BR-CL-23, PEPPOL-EN16931-R003, DE-R-015" {
			t.Errorf("corrected: %s %q", severity, text)
		}
	}
	s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules_by_profile": byProfile("EN16931", "OFF", "EN16931", "WARN")}).Want(400, "invalid_request")
	s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules_by_profile": byProfile("FACTURX", "OFF")}).Want(400, "invalid_request")
	if reset := s.Do(http.MethodPut, settings, token, map[string]any{"einvoice_rules": nil}).OK(); reset.Text("einvoice_rules") != "WARN" {
		t.Errorf("null resets to %s", reset.Raw)
	}
}

// TestTooLargeToJudge verifies that a document that claims a profile but has too many
// elements for its rules fails the check einvoice_rules with the severity of the entity.
func TestTooLargeToJudge(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Large")
	token, settings := org.Admin.Token, "/api/settings/"+org.Entity.String()
	large := func(number string) []byte {
		return peppol(t, number, "</Invoice>", strings.Repeat("<x/>", 600_000)+"</Invoice>")
	}
	for i, c := range []struct {
		set              map[string]any
		severity, status string
	}{
		{map[string]any{"einvoice_rules": "WARN"}, "WARNING", "EXTRACTED"},
		{map[string]any{"einvoice_rules": "BLOCK"}, "BLOCKING", "NEEDS_REVIEW"},
		{map[string]any{"einvoice_rules": "OFF"}, "", "EXTRACTED"},
		{map[string]any{"einvoice_rules_by_profile": []any{map[string]any{"profile": "PEPPOL_BIS_3", "effect": "BLOCK"}}}, "BLOCKING", "NEEDS_REVIEW"},
		{map[string]any{"einvoice_rules_by_profile": []any{map[string]any{"profile": "XRECHNUNG", "effect": "BLOCK"}}}, "", "EXTRACTED"},
	} {
		s.Do(http.MethodPut, settings, token, c.set).OK()
		number := "L-" + string(rune('1'+i))
		inv := s.Extract(token, s.Upload(token, org.Entity, number+".xml", large(number)).OK().Text("id")).OK()
		severity, passed, found, text := check(inv, "einvoice_rules")
		if found != (c.severity != "") || passed || severity != c.severity || found && !strings.Contains(text, "not judged") || inv.Text("status") != c.status {
			t.Errorf("%v: %s %v %q, status %s", c.set, severity, passed, text, inv.Text("status"))
		}
		v := s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id")+"/validation", token, nil).OK()
		if v.Text("outcome") != "NOT_JUDGED" || !strings.Contains(v.Text("note"), "600000 elements") {
			t.Errorf("%v: %s", c.set, v.Raw)
		}
	}
}

// TestValidationOfWhatNoRulesApplyTo verifies the reason why an invoice is
// NOT_JUDGED.
func TestValidationOfWhatNoRulesApplyTo(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Unjudged")
	token := org.Admin.Token
	inv := s.Extract(token, s.Upload(token, org.Entity, "plain.xml", harness.UBL("U-1")).OK().Text("id")).OK()
	v := s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id")+"/validation", token, nil).OK()
	if v.Text("outcome") != "NOT_JUDGED" || v.Text("note") == "" || v.Len("findings") != 0 {
		t.Errorf("%s", v.Raw)
	}
	if _, _, found, _ := check(inv, "einvoice_rules"); found {
		t.Errorf("a check without rules: %s", inv.Raw)
	}
	other := s.NewOrganization("Other")
	s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id")+"/validation", other.Admin.Token, nil).Want(404, "not_found")
}
