package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/test/lib/harness"
	usecase "docledger/usecase/extraction"

	"github.com/google/uuid"
)

// addressedTo returns a UBL invoice with the tax identifier and name of its buyer.
func addressedTo(number, taxID, name string) []byte {
	party := `<cac:AccountingCustomerParty><cac:Party>`
	if taxID != "" {
		party += `<cac:PartyTaxScheme><cbc:CompanyID>` + taxID + `</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`
	}
	return []byte(strings.NewReplacer(`<cac:AccountingCustomerParty><cac:Party>`, party, "Buyer Ltd", name).Replace(string(harness.UBL(number))))
}

func (d desk) entity(body map[string]any) uuid.UUID {
	d.t.Helper()
	return harness.ID(d.t, d.do(http.MethodPost, "/api/entities", body).OK().Text("id"))
}

func (d desk) set(entity uuid.UUID, body map[string]any) {
	d.t.Helper()
	d.do(http.MethodPut, "/api/settings/"+entity.String(), body).OK()
}

func (d desk) move(document string, to uuid.UUID) harness.Response {
	d.t.Helper()
	return d.do(http.MethodPost, "/api/documents/"+document+"/move", map[string]any{"entity_id": to})
}

// TestMoveDocument moves a document with an approved invoice. The invoice is coded and checked again
// in the new entity, and its readers see the whole history.
func TestMoveDocument(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		d := desk{t, s, s.NewOrganization("Moving")}
		reader, outsider := s.NewPerson(d.org.ID, identity.RoleMember), s.NewPerson(d.org.ID, identity.RoleMember)
		second := d.entity(map[string]any{"name": "Second", "access": "RESTRICTED", "members": []map[string]any{{"user_id": reader.ID, "role": "EDITOR"}}})
		d.do(http.MethodPut, "/api/entities/"+d.org.Entity.String(), map[string]any{"access": "RESTRICTED", "members": []map[string]any{{"user_id": outsider.ID, "role": "APPROVER"}}}).OK()
		d.set(d.org.Entity, map[string]any{"default_account_id": "400"})
		d.set(second, map[string]any{"default_account_id": "500"})

		up := s.Upload(d.org.Admin.Token, d.org.Entity, "m.xml", harness.UBL("M-1"), "Idempotency-Key", "m").OK()
		inv := s.Extract(d.org.Admin.Token, up.Text("id")).OK()
		path := "/api/invoices/" + inv.Text("id")
		d.do(http.MethodPost, path+"/assign", map[string]any{"user_id": outsider.ID}).OK()
		approved := d.approve(d.invoice(inv)).OK()
		if approved.Text("lines", 0, "account_id") != "400" || approved.Text("supplier_id") == "" {
			t.Fatalf("before the move: %s", approved.Raw)
		}
		usage := string(d.do(http.MethodGet, "/api/billing/usage", nil).OK().Raw)

		body := map[string]any{"entity_id": second}
		s.Do(http.MethodPost, "/api/documents/"+up.Text("id")+"/move", outsider.Token, body).Want(http.StatusNotFound, "not_found")
		s.Do(http.MethodPost, "/api/documents/"+up.Text("id")+"/move", reader.Token, body).Want(http.StatusNotFound, "not_found")
		s.Do(http.MethodPost, "/api/documents/"+up.Text("id")+"/move", d.org.Admin.Token, body, "If-Match", `"99"`).Want(http.StatusBadRequest, "version_conflict")
		d.move(up.Text("id"), uuid.New()).Want(http.StatusNotFound, "not_found")
		moved := d.move(up.Text("id"), second).OK()
		if moved.Text("entity_id") != second.String() || moved.Number("version") <= up.Number("version") {
			t.Errorf("moved %s", moved.Raw)
		}
		d.move(up.Text("id"), second).OK() // nothing changes

		after := s.Do(http.MethodGet, path, reader.Token, nil).OK()
		if after.Text("entity_id") != second.String() || after.Text("status") == "APPROVED" || after.At("approval") != nil || after.Text("lines", 0, "account_id") != "500" ||
			after.At("supplier_id") != nil || after.At("assigned_to") != nil {
			t.Errorf("after the move: %s", after.Raw)
		}
		s.Do(http.MethodGet, path, outsider.Token, nil).Want(http.StatusNotFound, "not_found")
		s.Do(http.MethodGet, "/api/documents/"+up.Text("id")+"/content", outsider.Token, nil).Want(http.StatusNotFound, "not_found")
		s.Do(http.MethodGet, "/api/documents/"+up.Text("id")+"/content", reader.Token, nil).OK()
		history := s.Do(http.MethodGet, path+"/history", reader.Token, nil).OK()
		for _, kind := range []string{"document.received", "invoice.approved", "document.moved", "invoice.approval_withdrawn"} {
			if strings.Count(string(history.Raw), `"`+kind+`"`) != 1 {
				t.Errorf("the history does not have one %s: %s", kind, history.Raw)
			}
		}
		for _, person := range []harness.Person{reader, outsider} {
			events := s.Do(http.MethodGet, "/api/events?type=document.moved", person.Token, nil).OK()
			if events.Len("items") != 1 || events.Text("items", 0, "changes", 0, "to") != second.String() {
				t.Errorf("the events of a reader of one entity are %s", events.Raw)
			}
		}
		if again := string(d.do(http.MethodGet, "/api/billing/usage", nil).OK().Raw); again != usage {
			t.Errorf("the usage was %s and is %s", usage, again)
		}
		// A supplier that only the moved invoice made keeps no coding of it.
		next := s.Upload(d.org.Admin.Token, d.org.Entity, "n.xml", harness.UBLOf("M-9", "200.00", "38.00", "238.00")).OK()
		if other := s.Extract(d.org.Admin.Token, next.Text("id")).OK(); other.Text("lines", 0, "account_id") != "400" {
			t.Errorf("the former entity codes %s", other.Raw)
		}
		// The new entity approves it with its own supplier, and it can go back.
		if approved := d.approve(d.invoice(inv)).OK(); approved.Text("supplier_id") == "" {
			t.Errorf("approved in the new entity: %s", approved.Raw)
		}
		d.move(up.Text("id"), d.org.Entity).OK()
	})
}

// TestRefusedMoves names why a document cannot be moved.
func TestRefusedMoves(t *testing.T) {
	t.Parallel()
	books, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(books))
	d := desk{t, s, s.NewOrganization("Refused")}
	second := d.entity(map[string]any{"name": "Second"})
	up := s.Upload(d.org.Admin.Token, d.org.Entity, "r.xml", harness.UBL("R-1")).OK()
	inv := s.Extract(d.org.Admin.Token, up.Text("id")).OK()
	same := s.Upload(d.org.Admin.Token, second, "r.xml", harness.UBL("R-1")).OK()
	reason := func(r harness.Response) string {
		return r.Want(http.StatusBadRequest, "conflict").Text("error", "details", "reason")
	}
	refused := d.move(up.Text("id"), second)
	if reason(refused) != "same_bytes" || refused.Text("error", "details", "document_id") != same.Text("id") {
		t.Errorf("with the same bytes: %s", refused.Raw)
	}
	d.do(http.MethodDelete, "/api/documents/"+same.Text("id"), nil).OK()
	entity := func(id uuid.UUID, body map[string]any) { d.do(http.MethodPut, "/api/entities/"+id.String(), body).OK() }
	entity(second, map[string]any{"archived": true})
	if got := reason(d.move(up.Text("id"), second)); got != "entity_archived" {
		t.Errorf("to an archived entity: %s", got)
	}
	entity(second, map[string]any{"archived": false})
	entity(d.org.Entity, map[string]any{"legal_hold": true})
	if got := reason(d.move(up.Text("id"), second)); got != "legal_hold" {
		t.Errorf("out of an entity under legal hold: %s", got)
	}
	entity(d.org.Entity, map[string]any{"legal_hold": false})

	integration := s.Activate(d.org, d.org.Entity, books, books.Tenants[0])
	lists := "/api/v1/integrations/" + integration
	d.set(d.org.Entity, map[string]any{
		"default_account_id":  d.do(http.MethodGet, lists+"/accounting-accounts?account_types=EXPENSE", nil).OK().Text("items", 0, "id"),
		"default_tax_rate_id": d.do(http.MethodGet, lists+"/accounting-tax-rates", nil).OK().Text("items", 0, "id"),
	})
	d.approve(d.invoice(inv)).OK()
	if synced := d.do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/sync", nil).OK(); synced.Text("status") != "SYNCED" {
		t.Fatalf("synced: %s", synced.Raw)
	}
	if r := d.move(up.Text("id"), second).Want(http.StatusBadRequest, "conflict"); r.Text("error", "details", "status") != "SYNCED" {
		t.Errorf("synced: %s", r.Raw)
	}
}

// TestRejectedInvoiceMoves keeps the rejection, and evaluates the checks for the new entity.
func TestRejectedInvoiceMoves(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	second := d.entity(map[string]any{"name": "Second", "aliases": []string{"Buyer Ltd"}})
	inv := d.extract("j.xml", harness.UBL("J-1"))
	if _, passed, found, _ := check(inv, "buyer_is_entity"); !found || passed {
		t.Fatalf("the buyer is the entity: %s", inv.Raw)
	}
	d.do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/reject", map[string]any{"reason": "not ours"}).OK()
	d.move(inv.Text("document_id"), second).OK()
	after := d.invoice(inv)
	if after.Text("status") != "REJECTED" || after.Text("rejection", "reason") != "not ours" {
		t.Errorf("after the move: %s", after.Raw)
	}
	if _, passed, found, _ := check(after, "buyer_is_entity"); !found || !passed {
		t.Errorf("the checks are those of the former entity: %s", after.Raw)
	}
}

// suggestion returns the suggested entity of the check buyer_is_entity.
func suggestion(inv harness.Response) any {
	for i := range inv.Len("checks") {
		if inv.Text("checks", i, "rule") == "buyer_is_entity" {
			return inv.At("checks", i, "suggested_entity_id")
		}
	}
	return "no check"
}

// TestSuggestedEntity names the only other entity that an invoice is addressed to.
func TestSuggestedEntity(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	byID := d.entity(map[string]any{"name": "By id", "tax_ids": []string{"DE136695976"}})
	byName := d.entity(map[string]any{"name": "By name", "aliases": []string{"Named GmbH"}})
	d.entity(map[string]any{"name": "Twin"})
	d.entity(map[string]any{"name": "Twin"})
	for number, c := range map[string]struct {
		taxID, name string
		want        any
	}{
		"G-1": {"136695976", "Whoever", byID.String()},
		"G-2": {"", "NAMED GmbH", byName.String()},
		"G-3": {"", "Twin", nil},
		"G-4": {"", "Stranger", nil},
		"G-5": {"", "Desk Company", nil},
	} {
		inv := d.extract(number+".xml", addressedTo(number, c.taxID, c.name))
		if got := suggestion(inv); got != c.want {
			t.Errorf("%s: the suggestion is %v, want %v", number, got, c.want)
		}
	}
}

// TestRouteByBuyer stores documents in the entity that has the tax identifier of the buyer, with its
// settings, checks and usage.
func TestRouteByBuyer(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		d := desk{t, s, s.NewOrganization("Inbox")}
		second := d.entity(map[string]any{"name": "Second", "tax_ids": []string{"DE129273398"}})
		d.entity(map[string]any{"name": "Twin", "tax_ids": []string{"FR40303265045"}})
		d.entity(map[string]any{"name": "Other twin", "tax_ids": []string{"FR40303265045"}})
		archived := d.entity(map[string]any{"name": "Archived", "tax_ids": []string{"ATU13585627"}})
		d.do(http.MethodPut, "/api/entities/"+archived.String(), map[string]any{"archived": true}).OK()
		d.set(second, map[string]any{"default_account_id": "500"})

		stays := d.extract("0.xml", addressedTo("B-0", "DE129273398", "Second"))
		if stays.Text("entity_id") != d.org.Entity.String() || suggestion(stays) != second.String() {
			t.Fatalf("routed without the setting: %s", stays.Raw)
		}
		d.set(d.org.Entity, map[string]any{"route_by_buyer": true})
		inv := d.extract("1.xml", addressedTo("B-1", "DE 129 273 398", "Second"))
		if inv.Text("entity_id") != second.String() || inv.Text("lines", 0, "account_id") != "500" || suggestion(inv) == second.String() {
			t.Errorf("routed to %s", inv.Raw)
		}
		document := d.do(http.MethodGet, "/api/documents/"+inv.Text("document_id"), nil).OK()
		if document.Text("entity_id") != second.String() || document.Text("status") != "EXTRACTED" {
			t.Errorf("the document is %s", document.Raw)
		}
		moved := d.do(http.MethodGet, "/api/events?type=document.moved&entity_id="+second.String(), nil).OK()
		if moved.Len("items") != 1 || moved.Text("items", 0, "actor", "type") != "SYSTEM" {
			t.Errorf("the events are %s", moved.Raw)
		}
		usage := d.do(http.MethodGet, "/api/billing/usage", nil).OK()
		if !strings.Contains(string(usage.Raw), second.String()) {
			t.Errorf("the usage is %s", usage.Raw)
		}
		for number, taxID := range map[string]string{"B-2": "FR40303265045", "B-3": "ATU13585627", "B-4": "IT00743110157", "B-5": ""} {
			if inv := d.extract(number+".xml", addressedTo(number, taxID, "Second")); inv.Text("entity_id") != d.org.Entity.String() {
				t.Errorf("%s was routed to %s", taxID, inv.Text("entity_id"))
			}
		}
		// The same bytes are in the other entity, and a person moves a document back.
		s.Upload(d.org.Admin.Token, second, "6.xml", addressedTo("B-6", "DE129273398", "Second")).OK()
		if inv := d.extract("6.xml", addressedTo("B-6", "DE129273398", "Second")); inv.Text("entity_id") != d.org.Entity.String() {
			t.Errorf("the same bytes were routed to %s", inv.Text("entity_id"))
		}
		d.move(inv.Text("document_id"), d.org.Entity).OK()
		again := d.do(http.MethodPost, "/api/invoices/extract", map[string]any{"document_id": inv.Text("document_id"), "force": true}).OK()
		if again.Text("entity_id") != d.org.Entity.String() {
			t.Errorf("a document that a person moved back was routed: %s", again.Raw)
		}
	})
}

// TestRoutedParts stores each invoice of a file with its buyer. The file cannot be split differently
// until its parts are back.
func TestRoutedParts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	buyer := d.entity(map[string]any{"name": "Due", "tax_ids": []string{"IT09876543210"}})
	d.set(d.org.Entity, map[string]any{"route_by_buyer": true})
	up := d.s.Upload(d.org.Admin.Token, d.org.Entity, "two.xml", harness.TwoInvoices("P")).OK()
	refused := d.s.Extract(d.org.Admin.Token, up.Text("id")).Want(http.StatusBadRequest, "conflict")
	if refused.Len("error", "details", "children") != 2 {
		t.Fatalf("the parts are %s", refused.Raw)
	}
	for i := range 2 {
		part := d.do(http.MethodGet, "/api/documents/"+refused.Text("error", "details", "children", i), nil).OK()
		inv := d.do(http.MethodGet, "/api/invoices/"+part.Text("invoice_id"), nil).OK()
		if part.Text("entity_id") != buyer.String() || inv.Text("entity_id") != buyer.String() || part.Text("parent_id") != up.Text("id") {
			t.Errorf("part %s, invoice in %s", part.Raw, inv.Text("entity_id"))
		}
	}
	if file := d.do(http.MethodGet, "/api/documents/"+up.Text("id"), nil).OK(); file.Text("entity_id") != d.org.Entity.String() {
		t.Errorf("the file was moved: %s", file.Raw)
	}
	// A legal hold of the entity of a part prevents the deletion of the file.
	d.do(http.MethodPut, "/api/entities/"+buyer.String(), map[string]any{"legal_hold": true}).OK()
	held := d.do(http.MethodDelete, "/api/documents/"+up.Text("id"), nil).Want(http.StatusBadRequest, "conflict")
	if held.Text("error", "details", "reason") != "legal_hold" {
		t.Errorf("deleted with a part under legal hold: %s", held.Raw)
	}
}

// interrupted are suppliers that are asked after the entities of the invoices were chosen.
type interrupted struct {
	usecase.Suppliers
	change func()
}

func (s interrupted) Study(context.Context, *invoice.Invoice) (bool, []invoice.Invoice, error) {
	s.change()
	return false, nil, nil
}

// TestRoutedDocumentStays keeps a document in its entity if a legal hold or the archiving of the
// other entity begins while it is extracted.
func TestRoutedDocumentStays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		other, moves bool // whether the change is one of the other entity; whether the document moves
		change       map[string]any
		parts        int
	}{
		"NoChange":      {false, true, map[string]any{"aliases": []string{"Other name"}}, 1},
		"LegalHold":     {false, false, map[string]any{"legal_hold": true}, 1},
		"LegalHoldPart": {false, false, map[string]any{"legal_hold": true}, 2},
		"Archived":      {true, false, map[string]any{"archived": true}, 1},
		"ArchivedPart":  {true, false, map[string]any{"archived": true}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(context.Context, extraction.Source) (*extraction.Result, error) {
				r := &extraction.Result{Method: invoice.Text}
				for range c.parts {
					content := invoice.Content{Type: invoice.TypeInvoice, Number: "S-1", Buyer: invoice.Party{Name: "Second", TaxID: "DE129273398"}}
					r.Drafts = append(r.Drafts, extraction.Draft{Content: content, Fields: map[string]invoice.Evidence{}})
				}
				return r, nil
			}
			s, org, args := resting(t, read, harness.UBL("S-1"))
			d := desk{t, s, org}
			other := d.entity(map[string]any{"name": "Second", "tax_ids": []string{"DE129273398"}})
			d.set(org.Entity, map[string]any{"route_by_buyer": true})
			changed, want := org.Entity, org.Entity
			if c.other {
				changed = other
			}
			if c.moves {
				want = other
			}
			ex := *s.Service.Extraction
			ex.Suppliers = interrupted{ex.Suppliers, func() { d.do(http.MethodPut, "/api/entities/"+changed.String(), c.change).OK() }}
			if err := ex.Run(context.Background(), args); err != nil {
				t.Fatal(err)
			}
			list := d.do(http.MethodGet, "/api/invoices", nil).OK()
			if list.Len("items") != c.parts {
				t.Fatalf("the invoices are %s", list.Raw)
			}
			for i := range c.parts {
				if got := list.Text("items", i, "entity_id"); got != want.String() {
					t.Errorf("the invoice is in %s, want %s", got, want)
				}
			}
		})
	}
}
