package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
)

// attention returns the codes and actions of the list, each once.
func attention(s *harness.Server, token, query string) []string {
	var out []string
	for _, item := range s.Do(http.MethodGet, "/api/attention"+query, token, nil).OK().At("items").([]any) {
		item := item.(map[string]any)
		out = append(out, item["code"].(string)+" "+item["action"].(string))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestAttention follows what needs a person from its cause to its end, for people of each role.
func TestAttention(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	list := func() string { return strings.Join(attention(d.s, d.org.Admin.Token, ""), ", ") }
	want := func(what, codes string) {
		t.Helper()
		if got := list(); got != codes {
			t.Errorf("%s: %q, want %q", what, got, codes)
		}
	}
	want("an empty organization", "")
	first := d.extract("1.xml", paidTo("Acme Paper", "A-1", ibanOne))
	want("an extracted invoice, which is overdue", "DUE_SOON approve, REVIEW_WAITING approve")
	item := d.do(http.MethodGet, "/api/attention", nil).OK()
	page := "/invoices/" + first.Text("id")
	if item.Text("items", 0, "subject", "id") != first.Text("id") || !strings.HasSuffix(item.Text("items", 0, "web_url"), page) ||
		item.Text("items", 0, "entity_id") != d.org.Entity.String() || item.Text("items", 0, "oldest_at") == "" {
		t.Errorf("the item: %s", item.Raw)
	}
	d.approve(first).OK()
	want("an approved invoice", "")

	changed := d.extract("2.xml", paidTo("Acme Paper", "A-2", ibanTwo))
	want("a new bank account", "BANK_ACCOUNT_NEW confirm_bank_account, DUE_SOON approve, REVIEW_WAITING review")
	supplier := "/suppliers/" + d.invoice(changed).Text("supplier_id")
	if r := d.do(http.MethodGet, "/api/attention", nil).OK(); !strings.HasSuffix(r.Text("items", 0, "web_url"), supplier) || r.Text("items", 0, "severity") != "BLOCKING" {
		t.Errorf("the most severe item is not the bank account: %s", r.Raw)
	}
	d.do(http.MethodPost, "/api"+supplier+"/bank-accounts/confirm", map[string]any{"iban": ibanTwo, "method": "phone"}).OK()
	want("a confirmed bank account", "DUE_SOON approve, REVIEW_WAITING approve")

	due := time.Now().UTC().AddDate(0, 0, 30).Format(time.DateOnly)
	d.do(http.MethodPatch, "/api/invoices/"+changed.Text("id"), map[string]any{"due_date": due}).OK()
	want("due in a month", "REVIEW_WAITING approve")
	twin := d.extract("3.xml", append(paidTo("Acme Paper", "A-1", ibanOne), '\n'))
	if got := list(); !strings.Contains(got, "DUPLICATE_SUSPECTED compare_duplicates") {
		t.Errorf("a duplicate: %q", got)
	}
	for _, inv := range []harness.Response{changed, twin} {
		d.do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/reject", map[string]any{"reason": "twice"}).OK()
	}
	want("rejected invoices", "")

	broken := d.s.Upload(d.org.Admin.Token, d.org.Entity, "broken.pdf", []byte("%PDF-1.7\nbroken")).OK()
	d.s.Extract(d.org.Admin.Token, broken.Text("id")).Want(http.StatusBadRequest, "unreadable_document")
	key := d.do(http.MethodPost, "/api/api-keys", map[string]any{"name": "Import", "role": "VIEWER", "expires_at": time.Now().Add(72 * time.Hour)}).OK()
	want("a key that expires", "API_KEY_EXPIRING replace_api_key, DOCUMENT_FAILED open_document")
	if got := attention(d.s, d.org.Admin.Token, "?entity_id="+d.org.Entity.String()); len(got) != 1 {
		t.Errorf("of one entity: %q", got)
	}
	d.do(http.MethodDelete, "/api/api-keys/"+key.Text("id"), nil).OK()
	want("a revoked key", "DOCUMENT_FAILED open_document")

	waiting := func() (count float64) {
		for _, item := range d.do(http.MethodGet, "/api/attention", nil).OK().At("items").([]any) {
			if item := item.(map[string]any); item["code"] == "REVIEW_WAITING" {
				count += item["count"].(float64)
			}
		}
		return count
	}
	d.extract("4.xml", harness.UBL("A-9"))
	if n := waiting(); n != 1 {
		t.Errorf("%v invoices wait, want 1", n)
	}
	d.extract("5.xml", harness.UBL("B-20"))
	if n := waiting(); n != 2 {
		t.Errorf("%v invoices wait, want 2", n)
	}
	for role, codes := range map[identity.EntityRole]string{
		identity.Viewer: "", identity.Editor: "DOCUMENT_FAILED open_document", identity.Approver: "DOCUMENT_FAILED open_document, DUE_SOON approve, REVIEW_WAITING approve",
	} {
		person := d.s.NewPerson(d.org.ID, identity.RoleMember)
		d.s.SetMembers(d.org, entity.AccessRestricted, entity.Member{UserID: person.ID, Role: role})
		if got := strings.Join(attention(d.s, person.Token, ""), ", "); got != codes {
			t.Errorf("%s: %q, want %q", role, got, codes)
		}
	}
	outsider := d.s.NewPerson(d.org.ID, identity.RoleMember)
	if got := attention(d.s, outsider.Token, ""); len(got) != 0 {
		t.Errorf("without a role: %q", got)
	}
}
