package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
	"docledger/usecase/deletion"
	"docledger/usecase/documents"
	"docledger/usecase/extraction"

	"github.com/google/uuid"
)

// interruption runs once, after a service read the settings of an entity.
type interruption struct {
	mu   sync.Mutex
	next func()
}

func (i *interruption) set(next func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.next = next
}

func (i *interruption) run() {
	i.mu.Lock()
	next := i.next
	i.next = nil
	i.mu.Unlock()
	if next != nil {
		next()
	}
}

// interruptedSettings is a repository of settings with an interruption.
type interruptedSettings struct {
	entity.SettingsRepository
	*interruption
}

func (i interruptedSettings) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Settings, error) {
	out, err := i.SettingsRepository.Get(ctx, s, id)
	i.run()
	return out, err
}

// interruptedExtraction are the entities of extractions with an interruption.
type interruptedExtraction struct {
	extraction.Entities
	*interruption
}

func (i interruptedExtraction) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error) {
	out, err := i.Entities.Get(ctx, s, id)
	i.run()
	return out, err
}

// interruptedDocuments are the entities of documents with an interruption.
type interruptedDocuments struct {
	documents.Entities
	*interruption
}

func (i interruptedDocuments) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error) {
	out, err := i.Entities.Get(ctx, s, id)
	i.run()
	return out, err
}

// interruptedDeletion are the entities of deletions with an interruption.
type interruptedDeletion struct {
	deletion.Entities
	*interruption
}

func (i interruptedDeletion) Get(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error) {
	out, err := i.Entities.Get(ctx, s, id)
	i.run()
	return out, err
}

// TestChangedMeanwhile changes a record after its version was compared with If-Match, and before the
// operation. The operation is refused.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	books, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(books))
	d := desk{t, s, s.NewOrganization("Changed meanwhile")}
	d.set(d.org.Entity, map[string]any{"accounting_integration_id": s.Activate(d.org, d.org.Entity, books, books.Tenants[0])})
	during := &interruption{}
	s.Service.Sync.Settings = interruptedSettings{s.Service.Sync.Settings, during}
	s.Service.Deletion.Entities = interruptedDeletion{s.Service.Deletion.Entities, during}
	inv := d.extract("c.xml", harness.UBL("CM-1"))
	document, invoice := "/api/documents/"+inv.Text("document_id"), "/api/invoices/"+inv.Text("id")

	approved := d.approve(d.invoice(inv)).OK()
	during.set(func() { d.do(http.MethodPatch, invoice, map[string]any{"note": "wait"}).OK() })
	s.Do(http.MethodPost, invoice+"/sync", d.org.Admin.Token, nil, "If-Match", approved.Header.Get("ETag")).Want(http.StatusBadRequest, "version_conflict")
	if after := d.invoice(inv); after.At("sync") != nil {
		t.Errorf("a changed invoice is synced: %s", after.Raw)
	}

	d.do(http.MethodPost, invoice+"/reopen", nil).OK()
	etag := d.do(http.MethodGet, document, nil).OK().Header.Get("ETag")
	during.set(func() { d.do(http.MethodPatch, document, map[string]any{"external_id": "kept"}).OK() })
	s.Do(http.MethodDelete, document, d.org.Admin.Token, nil, "If-Match", etag).Want(http.StatusBadRequest, "version_conflict")
	if after := d.do(http.MethodGet, document, nil).OK(); after.Text("external_id") != "kept" {
		t.Errorf("a changed document: %s", after.Raw)
	}
	s.Do(http.MethodDelete, document, d.org.Admin.Token, nil, "If-Match", d.do(http.MethodGet, document, nil).OK().Header.Get("ETag")).OK()
}

// TestMovedMeanwhile moves a document after the rights of a caller in its entity were checked, and
// before the change. The change is refused, because the new entity has other rights and settings.
func TestMovedMeanwhile(t *testing.T) {
	t.Parallel()
	books, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(books))
	d := desk{t, s, s.NewOrganization("Moved meanwhile")}
	during := &interruption{}
	s.Service.Invoices.Settings = interruptedSettings{s.Service.Invoices.Settings, during}
	s.Service.Sync.Settings = interruptedSettings{s.Service.Sync.Settings, during}
	s.Service.Extraction.Entities = interruptedExtraction{s.Service.Extraction.Entities, during}
	s.Service.Documents.Entities = interruptedDocuments{s.Service.Documents.Entities, during}
	// The new entity requires four eyes; the former one does not, and has a ledger.
	second := d.entity(map[string]any{"name": "Second"})
	d.set(second, map[string]any{"four_eyes": true})
	ledger := s.Activate(d.org, d.org.Entity, books, books.Tenants[0])
	post := func(path string, body map[string]any) harness.Response { return d.do(http.MethodPost, path, body) }

	for _, c := range []struct {
		name   string
		change func(document, invoice string, version int) harness.Response
	}{
		{"approve", func(_, id string, version int) harness.Response {
			return post("/api/invoices/"+id+"/approve", map[string]any{"version": version + 1})
		}},
		{"reject", func(_, id string, _ int) harness.Response {
			return post("/api/invoices/"+id+"/reject", map[string]any{"reason": "wrong"})
		}},
		{"correct", func(_, id string, _ int) harness.Response {
			return d.do(http.MethodPatch, "/api/invoices/"+id, map[string]any{"invoice_number": "other"})
		}},
		{"extract", func(id, _ string, _ int) harness.Response {
			return post("/api/invoices/extract", map[string]any{"document_id": id, "force": true})
		}},
		{"split", func(id, _ string, _ int) harness.Response {
			return post("/api/documents/"+id+"/split", map[string]any{"parts": []any{map[string]int{"from": 1, "to": 1}}})
		}},
		{"external id", func(id, _ string, _ int) harness.Response {
			return d.do(http.MethodPatch, "/api/documents/"+id, map[string]any{"external_id": "other"})
		}},
		{"sync", func(_, id string, _ int) harness.Response {
			// Only the former entity lets the system approve.
			d.set(d.org.Entity, unattended)
			d.set(d.org.Entity, map[string]any{"accounting_integration_id": ledger})
			return d.do(http.MethodPost, "/api/invoices/"+id+"/sync", nil)
		}},
	} {
		file := harness.UBL("MW-" + c.name)
		if c.name == "split" {
			file = twoPages(t, "MW-2")
		}
		document := ended(s, d.org, s.Upload(d.org.Admin.Token, d.org.Entity, c.name, file).OK().Text("id")).Text("id")
		before := invoiceOfDocument(d, document)
		during.set(func() { d.move(document, second).OK() })
		if r := c.change(document, before.Text("id"), before.Number("version")); r.Status != http.StatusBadRequest || r.Text("error", "code") != "version_conflict" {
			t.Errorf("%s: %d %s", c.name, r.Status, r.Raw)
		}
		after, of := d.invoice(before), d.do(http.MethodGet, "/api/documents/"+document, nil).OK()
		if after.Text("entity_id") != second.String() || after.Text("invoice_number") != before.Text("invoice_number") || after.At("sync") != nil ||
			of.Text("status") != "EXTRACTED" || of.At("external_id") != nil {
			t.Errorf("%s changed %s %s", c.name, after.Raw, of.Raw)
		}
		if status := after.Text("status"); status != "EXTRACTED" && status != "NEEDS_REVIEW" {
			t.Errorf("%s: the invoice is %s", c.name, status)
		}
	}
}
