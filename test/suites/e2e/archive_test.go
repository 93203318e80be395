package e2e

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
)

// TestArchivedEntity archives an entity. It accepts no documents, consents and syncs, and its records
// stay readable. The restored entity accepts them again.
func TestArchivedEntity(t *testing.T) {
	t.Parallel()
	ledger, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(ledger))
	org := s.NewOrganization("Archive")
	token, path := org.Admin.Token, "/api/entities/"+org.Entity.String()
	integration := s.Activate(org, org.Entity, ledger, ledger.Tenants[0])
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"accounting_integration_id": integration, "auto_sync": true}).OK()
	up := s.Upload(token, org.Entity, "a.xml", harness.UBL("A-1")).OK()
	inv := s.Extract(token, up.Text("id")).OK()
	pages := ended(s, org, s.Upload(token, org.Entity, "pages.pdf", twoPages(t, "A-9")).OK().Text("id")).Text("id")
	invoice := "/api/invoices/" + inv.Text("id")

	s.Do(http.MethodPut, path, token, map[string]any{"archived": true}).OK()
	refused := s.Upload(token, org.Entity, "b.xml", harness.UBL("A-2")).Want(http.StatusBadRequest, "conflict")
	if refused.Text("error", "details", "reason") != "entity_archived" {
		t.Errorf("refused with %s", refused.Raw)
	}
	body := map[string]any{"entity_id": org.Entity, "provider": "ACCOUNTING_A", "redirect_url": harness.RedirectURL}
	s.Do(http.MethodPost, "/api/v1/integrations/oauth/authorize", token, body).Want(http.StatusBadRequest, "conflict")
	_, _, err := s.Service.Documents.Ingest(context.Background(), identity.System(org.ID), document.IngestInput{EntityID: org.Entity, Filename: "late.xml"})
	if fault.CodeOf(err) != fault.CodeConflict || !errors.Is(err, entity.ErrArchived) {
		t.Errorf("a watched file: %v", err)
	}
	s.Do(http.MethodPost, invoice+"/approve", token, map[string]any{"version": inv.At("version")}).OK()
	if got := s.Do(http.MethodGet, invoice, token, nil).OK(); got.At("sync") != nil {
		t.Errorf("a sync began: %s", got.Raw)
	}
	s.Do(http.MethodPost, invoice+"/sync", token, nil).Want(http.StatusBadRequest, "conflict")
	s.Do(http.MethodPost, "/api/documents/"+pages+"/split", token, map[string]any{"parts": []any{map[string]int{"from": 1, "to": 1}}}).Want(http.StatusBadRequest, "conflict")
	for _, read := range []string{path, invoice, "/api/documents/" + up.Text("id") + "/content", "/api/invoices/export?format=csv&entity_id=" + org.Entity.String()} {
		s.Do(http.MethodGet, read, token, nil).OK()
	}
	s.Do(http.MethodPost, "/api/entities", token, map[string]any{"name": "Open"}).OK()
	for query, want := range map[string]int{"": 2, "?archived=true": 1, "?archived=false": 1} {
		list := s.Do(http.MethodGet, "/api/entities"+query, token, nil).OK()
		if list.Len("items") != want || want == 1 && list.At("items", 0, "archived") != (query == "?archived=true") {
			t.Errorf("%s lists %s", query, list.Raw)
		}
	}

	s.Do(http.MethodPut, path, token, map[string]any{"archived": false}).OK()
	s.Upload(token, org.Entity, "b.xml", harness.UBL("A-2")).OK()
	// The entity has no account, so the ledger gets no bill. The sync runs nevertheless.
	if synced := s.Do(http.MethodPost, invoice+"/sync", token, nil).OK(); synced.Text("sync", "error", "code") != "account_missing" {
		t.Errorf("after the restoration: %s", synced.Raw)
	}
}

// TestLegalHold prevents deletions by people and by age.
func TestLegalHold(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		clock := at(t, "2026-03-10T08:00:00Z")
		o.Overrides = service.Overrides{Clock: clock}
		o.Env = map[string]string{"RETENTION_YEARS": "10"}
		s := harness.Start(t, o)
		org := s.NewOrganization("Hold")
		token, path := org.Admin.Token, "/api/entities/"+org.Entity.String()
		up := s.Upload(token, org.Entity, "a.xml", harness.UBL("H-1")).OK()
		inv := s.Extract(token, up.Text("id")).OK()
		s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/approve", token, map[string]any{"version": inv.At("version")}).OK()
		held := s.Do(http.MethodPut, path, token, map[string]any{"legal_hold": true}).OK()
		if held.At("legal_hold") != true {
			t.Errorf("no hold: %s", held.Raw)
		}
		changed := s.Do(http.MethodGet, "/api/events?type=entity.changed", token, nil).OK()
		if changed.Text("items", 0, "changes", 0, "field") != "legal_hold" || changed.Text("items", 0, "actor", "id") != org.Admin.ID.String() {
			t.Errorf("the event is %s", changed.Raw)
		}
		document := "/api/documents/" + up.Text("id")
		refused := s.Do(http.MethodDelete, document, token, nil).Want(http.StatusBadRequest, "conflict")
		if refused.Text("error", "details", "reason") != "legal_hold" {
			t.Errorf("refused with %s", refused.Raw)
		}
		retain := func(after time.Duration) {
			t.Helper()
			if err := s.Service.Deletion.Retain(context.Background(), clock.Now().Add(after)); err != nil {
				t.Fatal(err)
			}
		}
		const tenYears = 3654 * 24 * time.Hour
		retain(tenYears)
		s.Do(http.MethodGet, document, token, nil).OK()

		s.Do(http.MethodPut, path, token, map[string]any{"legal_hold": false}).OK()
		retain(tenYears - 48*time.Hour)
		s.Do(http.MethodGet, document, token, nil).OK()
		retain(tenYears)
		s.Do(http.MethodGet, document, token, nil).Want(http.StatusNotFound, "not_found")
		deleted := s.Do(http.MethodGet, "/api/events?type=document.deleted", token, nil).OK()
		if deleted.Text("items", 0, "actor", "type") != "SYSTEM" || deleted.Text("items", 0, "data", "reason") != "retention" {
			t.Errorf("the event is %s", deleted.Raw)
		}
		kept := *s.Service.Deletion // nothing is deleted by age without RETENTION_YEARS
		kept.RetentionYears = 0
		s.Upload(token, org.Entity, "b.xml", harness.UBL("H-2")).OK()
		if err := kept.Retain(context.Background(), clock.Now().Add(10*tenYears)); err != nil {
			t.Fatal(err)
		}
		if list := s.Do(http.MethodGet, "/api/documents", token, nil).OK(); list.Len("items") != 1 {
			t.Errorf("left: %s", list.Raw)
		}
	})
}
