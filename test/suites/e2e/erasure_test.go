package e2e

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/infrastructure/database"
	"docledger/test/lib/harness"
	"docledger/usecase/organizations"

	"github.com/google/uuid"
)

// rowsOf counts the rows of an organization in every table of the schema that has the column
// organization_id, so that a new table cannot be forgotten.
func rowsOf(t *testing.T, s *harness.Server, id uuid.UUID) map[string]int64 {
	t.Helper()
	db, err := database.Open(context.Background(), service.DatabaseConfig(s.Config()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables, err := db.Gorm.Migrator().GetTables()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, table := range tables {
		if !db.Gorm.Migrator().HasColumn(table, "organization_id") {
			continue
		}
		var n int64
		if err := db.Gorm.Table(table).Where("organization_id = ?", id).Count(&n).Error; err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			out[table] = n
		}
	}
	return out
}

// erasable fills an organization with records of many kinds. The bytes of one document are those of
// shared, too.
func erasable(t *testing.T, o harness.Options) (s *harness.Server, d desk, other harness.Organization, sha256 []string) {
	t.Helper()
	books, _ := harness.NewLedgerA(t)
	s = harness.Start(t, o.With(books))
	d = desk{t, s, s.NewOrganization("Erased")}
	other = s.NewOrganization("Kept")
	for _, number := range []string{"E-1", "E-2", "E-3"} {
		up := s.Upload(d.org.Admin.Token, d.org.Entity, number+".xml", harness.UBL(number)).OK()
		d.approve(s.Extract(d.org.Admin.Token, up.Text("id")).OK()).OK()
		sha256 = append(sha256, up.Text("sha256"))
	}
	two := s.Upload(d.org.Admin.Token, d.org.Entity, "two.xml", harness.TwoInvoices("T")).OK()
	s.Extract(d.org.Admin.Token, two.Text("id")).Want(http.StatusBadRequest, "conflict")
	sha256 = append(sha256, two.Text("sha256"))
	s.Extract(other.Admin.Token, s.Upload(other.Admin.Token, other.Entity, "shared.xml", harness.UBL("E-1")).OK().Text("id")).OK()
	d.do(http.MethodPost, "/api/webhooks", map[string]any{"url": "https://erp.example/", "types": []string{"*"}, "enabled": false}).OK()
	d.do(http.MethodPost, "/api/api-keys", map[string]any{"name": "Import", "role": "VIEWER"}).OK()
	d.do(http.MethodPost, "/api/documents/upload-links", map[string]any{"entity_id": d.org.Entity}).OK()
	s.Activate(d.org, d.org.Entity, books, books.Tenants[0])
	return s, d, other, sha256
}

var errKilled = errors.New("killed")

// killed ends an erasure before or after a step.
type killed struct {
	organization.Erasures
	steps *int // that remain
}

func (k killed) step(do func() error) error {
	if *k.steps--; *k.steps == 0 {
		return errKilled
	}
	err := do()
	if *k.steps--; err == nil && *k.steps == 0 {
		return errKilled
	}
	return err
}

func (k killed) Begin(ctx context.Context, id uuid.UUID, actor string, now time.Time) error {
	return k.step(func() error { return k.Erasures.Begin(ctx, id, actor, now) })
}

func (k killed) Access(ctx context.Context, id uuid.UUID) error {
	return k.step(func() error { return k.Erasures.Access(ctx, id) })
}

func (k killed) Documents(ctx context.Context, id uuid.UUID, _ int, now time.Time) (n int, err error) {
	err = k.step(func() (err error) { n, err = k.Erasures.Documents(ctx, id, 1, now); return err })
	return n, err
}

func (k killed) Rows(ctx context.Context, id uuid.UUID, _ int) (n int, err error) {
	err = k.step(func() (err error) { n, err = k.Erasures.Rows(ctx, id, 7); return err })
	return n, err
}

func (k killed) Finish(ctx context.Context, id uuid.UUID, now time.Time) error {
	return k.step(func() error { return k.Erasures.Finish(ctx, id, now) })
}

// TestErasedOrganization erases an organization although the erasure ends again and again. Nothing of
// it remains but the proof, and another organization keeps everything.
func TestErasedOrganization(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		ctx := context.Background()
		s, d, other, sha256 := erasable(t, o)
		id := d.org.ID
		both := s.NewPerson(other.ID, identity.RoleMember)
		if err := s.Service.Organizations.Invite(ctx, both.Email, id, identity.RoleMember); err != nil {
			t.Fatal(err)
		}
		if have := rowsOf(t, s, id); len(have) < 15 {
			t.Fatalf("the organization has rows in %d tables only: %v", len(have), slices.Sorted(maps.Keys(have)))
		}
		kept := rowsOf(t, s, other.ID)

		if _, err := s.Service.Erasure.Organization(ctx, id, "Kept"); fault.CodeOf(err) != fault.CodeInvalidRequest {
			t.Fatalf("confirmed with another name: %v", err)
		}
		d.do(http.MethodPut, "/api/entities/"+d.org.Entity.String(), map[string]any{"legal_hold": true}).OK()
		if _, err := s.Service.Erasure.Organization(ctx, id, "Erased"); fault.CodeOf(err) != fault.CodeConflict {
			t.Fatalf("erased under legal hold: %v", err)
		}
		d.do(http.MethodPut, "/api/entities/"+d.org.Entity.String(), map[string]any{"legal_hold": false}).OK()

		steps := s.Service.Erasure.Erasures
		var done int
		for allowed := 1; ; allowed++ {
			left := allowed
			s.Service.Erasure.Erasures = killed{steps, &left}
			_, err := s.Service.Erasure.Organization(ctx, id, "Erased")
			if err == nil {
				done = allowed
				break
			}
			if !errors.Is(err, errKilled) && fault.CodeOf(err) != fault.CodeNotFound {
				t.Fatalf("after %d steps: %v", allowed, err)
			}
		}
		if done < 5 {
			t.Errorf("the erasure ended only %d times", done)
		}
		s.Service.Erasure.Erasures = steps
		proof, err := s.Service.Erasure.Organization(ctx, id, "")
		if err != nil || proof.FinishedAt.IsZero() || proof.Counts["documents"] != 6 || proof.Counts["invoices"] != 5 || proof.Counts["organizations"] != 1 || proof.Actor != organization.ErasedByOperator {
			t.Errorf("the proof is %+v, %v", proof, err)
		}
		remaining := rowsOf(t, s, id)
		delete(remaining, "erasures")
		delete(remaining, "blob_removals")
		if len(remaining) > 0 {
			t.Errorf("rows remain: %v", remaining)
		}
		if now := rowsOf(t, s, other.ID); now["documents"] != kept["documents"] || now["invoices"] != kept["invoices"] || now["memberships"] != kept["memberships"] {
			t.Errorf("the other organization had %v and has %v", kept, now)
		}
		for i, sum := range sha256 {
			if there := blobThere(t, s, sum); there != (i == 0) { // the other organization has the first
				t.Errorf("blob %d exists: %v", i, there)
			}
		}
		s.Do(http.MethodGet, "/api/me", d.org.Admin.Token, nil).Want(http.StatusUnauthorized, "unauthorized")
		s.Do(http.MethodGet, "/api/me", both.Token, nil).OK()
		// The account of the administrator ended with the only organization.
		if _, _, err := s.Service.Organizations.AddUser(ctx, organizations.AddUserInput{Email: d.org.Admin.Email, Password: harness.Password, OrganizationID: other.ID, Role: identity.RoleMember}); err != nil {
			t.Errorf("the address is in use: %v", err)
		}
		if _, err := s.Service.Erasure.Organization(ctx, uuid.New(), ""); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("an unknown organization: %v", err)
		}
	})
}

// TestExportedOrganization writes everything of one organization, and nothing secret or of others.
func TestExportedOrganization(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s, d, other, sha256 := erasable(t, o)
		path := filepath.Join(t.TempDir(), "export.zip")
		m, err := service.Export(context.Background(), s.Config(), d.org.ID, path, "test")
		if err != nil {
			t.Fatal(err)
		}
		archive, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		texts := map[string]string{}
		for _, f := range archive.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			texts[f.Name] = string(text)
		}
		for _, sum := range sha256 {
			if texts["originals/"+sum] == "" {
				t.Errorf("the original %s is missing", sum)
			}
		}
		if m.Originals.Files != 4 || m.Originals.Missing != 0 || !strings.Contains(texts["manifest.json"], `"format"`) {
			t.Errorf("the manifest is %+v", m)
		}
		for table, want := range map[string]int{"documents": 6, "invoices": 5, "users": 1, "organizations": 1, "integrations": 1, "api_keys": 1} {
			if got := strings.Count(texts["records/"+table+".jsonl"], "\n"); got != want {
				t.Errorf("%d records of %s, want %d", got, table, want)
			}
		}
		if !strings.Contains(texts["records/events.jsonl"], `"invoice.approved"`) || !strings.Contains(texts["records/invoices.jsonl"], `"E-2"`) {
			t.Error("events or values are missing")
		}
		for name, text := range texts {
			for _, secret := range []string{"argon2", "password_hash", "secret_hash", "sealed", other.ID.String(), other.Admin.Email} {
				if strings.Contains(text, secret) {
					t.Errorf("%s contains %s", name, secret)
				}
			}
		}
		if _, err := service.Export(context.Background(), s.Config(), d.org.ID, path, "test"); err == nil {
			t.Error("an export replaced a file")
		}
		if _, err := service.Export(context.Background(), s.Config(), uuid.New(), path+"2", "test"); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("an unknown organization: %v", err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".docledger-export-*")); len(left) > 0 {
			t.Errorf("temporary files remain: %v", left)
		}
	})
}

// TestErasedUser erases an account. Events keep its id, and nothing has its name or address.
func TestErasedUser(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		ctx := context.Background()
		s := harness.Start(t, o)
		d := desk{t, s, s.NewOrganization("Staff")}
		person := s.NewPerson(d.org.ID, identity.RoleAdmin)
		inv := s.Extract(person.Token, s.Upload(person.Token, d.org.Entity, "u.xml", harness.UBL("U-1")).OK().Text("id")).OK()
		d.do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/assign", map[string]any{"user_id": person.ID}).OK()
		if _, err := s.Service.Erasure.User(ctx, person.Email, "else"); fault.CodeOf(err) != fault.CodeInvalidRequest {
			t.Errorf("confirmed with something else: %v", err)
		}
		if _, err := s.Service.Erasure.User(ctx, person.Email, person.Email); err != nil {
			t.Fatal(err)
		}
		s.Do(http.MethodGet, "/api/me", person.Token, nil).Want(http.StatusUnauthorized, "unauthorized")
		if after := d.invoice(inv); after.At("assigned_to") != nil || after.Text("created_by") != person.ID.String() {
			t.Errorf("the invoice is %s", after.Raw)
		}
		for _, path := range []string{"/api/organization/members", "/api/events?limit=200", "/api/invoices/" + inv.Text("id") + "/history"} {
			if r := d.do(http.MethodGet, path, nil).OK(); strings.Contains(string(r.Raw), person.Email) {
				t.Errorf("%s has the address: %s", path, r.Raw)
			}
		}
		ended := d.do(http.MethodGet, "/api/events?type=invoice.assigned&limit=200", nil).OK()
		if ended.Text("items", 0, "subject", "id") != inv.Text("id") && ended.Text("items", ended.Len("items")-1, "subject", "id") != inv.Text("id") || ended.Len("items") != 2 {
			t.Errorf("the events of the assignment are %s", ended.Raw)
		}
		removed := d.do(http.MethodGet, "/api/events?type=member.removed", nil).OK()
		if removed.Len("items") != 1 || removed.Text("items", 0, "subject", "id") != person.ID.String() {
			t.Errorf("the events are %s", removed.Raw)
		}
		if _, err := s.Service.Erasure.User(ctx, person.ID.String(), person.ID.String()); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("erased again: %v", err)
		}
	})
}

// TestErasureOfLateDocuments adds a document after the erasure of documents. Rows leaves it, so that
// its blob is removed too.
func TestErasureOfLateDocuments(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		ctx := context.Background()
		s := harness.Start(t, o)
		d := desk{t, s, s.NewOrganization("Late")}
		up := s.Upload(d.org.Admin.Token, d.org.Entity, "late.xml", harness.UBL("L-1")).OK()
		s.Extract(d.org.Admin.Token, up.Text("id")).OK()
		if err := s.Service.Erasure.Erasures.Begin(ctx, d.org.ID, organization.ErasedByOperator, time.Now()); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			if _, err := s.Service.Erasure.Erasures.Rows(ctx, d.org.ID, 1000); err != nil {
				t.Fatal(err)
			}
		}
		if rows := rowsOf(t, s, d.org.ID); rows["documents"] != 1 {
			t.Fatalf("Rows left %v", rows)
		}
		if _, err := s.Service.Erasure.Organization(ctx, d.org.ID, "Late"); err != nil {
			t.Fatal(err)
		}
		if sum := up.Text("sha256"); blobThere(t, s, sum) {
			t.Error("the blob exists")
		}
	})
}
