package e2e

import (
	"net/http"
	"testing"
	"time"

	"docledger/test/lib/harness"
	"docledger/test/lib/scans"
)

// ended waits until a document has ended.
func ended(s *harness.Server, org harness.Organization, document string) harness.Response {
	var d harness.Response
	s.Eventually("the document ended", 2*time.Minute, func() bool {
		d = s.Do(http.MethodGet, "/api/documents/"+document, org.Admin.Token, nil).OK()
		return d.Text("status") != "UPLOADED" && d.Text("status") != "PROCESSING"
	}, func() string { return d.Text("status") })
	return d
}

func TestUploadedScanBecomesAnInvoice(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"OCR_DIR": scans.Engine(t, "../../..")}})
	org := s.NewOrganization("Scans")
	up := s.Upload(org.Admin.Token, org.Entity, "scan.jpg", scans.Invoice("RE-2026-0815")).OK()
	d := ended(s, org, up.Text("id"))
	if d.Text("status") != "EXTRACTED" {
		t.Fatalf("the scan is %s: %s", d.Text("status"), d.Raw)
	}
	inv := s.Do(http.MethodGet, "/api/invoices/"+d.Text("invoice_id"), org.Admin.Token, nil).OK()
	if inv.Text("invoice_number") != "RE-2026-0815" || inv.Text("gross_total") != "119.00" {
		t.Errorf("number %q, total %q", inv.Text("invoice_number"), inv.Text("gross_total"))
	}
	if got := inv.At("fields", "invoice_number", "source"); got != "OCR" {
		t.Errorf("the source of the number is %v", got)
	}
	// Asking again while it is read must not take it away from who reads it, and
	// answers the invoice in the end.
	again := s.Upload(org.Admin.Token, org.Entity, "scan.jpg", scans.Invoice("RE-2026-0816")).OK()
	if got := s.Extract(org.Admin.Token, again.Text("id")).OK().Text("invoice_number"); got != "RE-2026-0816" {
		t.Errorf("number %q", got)
	}
}

func TestScansAreRefusedWhereTheyAreSwitchedOff(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"OCR": "off"}})
	org := s.NewOrganization("No scans")
	up := s.Upload(org.Admin.Token, org.Entity, "scan.jpg", scans.Invoice("1")).OK()
	d := ended(s, org, up.Text("id"))
	if d.Text("status") != "FAILED" || d.At("failure", "code") != "no_text_layer" {
		t.Errorf("the scan is %s", d.Raw)
	}
}
