package e2e

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestUsageByEntityAddsUp extracts documents of two entities concurrently,
// including documents that count twice and documents that do not count.
func TestUsageByEntityAddsUp(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org, other := s.NewOrganization("Usage"), s.NewOrganization("Other")
		admin, member := org.Admin.Token, s.NewPerson(org.ID, identity.RoleMember).Token
		s.SetMembers(org, entity.AccessRestricted)
		open := s.Do(http.MethodPost, "/api/entities", admin, map[string]any{"name": "Open"}).OK().Text("id")
		want := map[string]int{org.Entity.String(): 6, open: 4}
		var callers sync.WaitGroup
		for n := range 8 {
			callers.Go(func() {
				of := org.Entity
				if n%2 == 1 {
					of = uuid.MustParse(open)
				}
				up := s.Upload(admin, of, "a.xml", harness.UBL(fmt.Sprint("A-", n))).OK()
				for range 2 { // again counts nothing
					s.Extract(admin, up.Text("id")).OK()
				}
			})
		}
		callers.Wait()
		for range 2 { // the same bytes count once, each of their two invoices
			up := s.Upload(admin, org.Entity, "two.xml", harness.TwoInvoices("T")).OK()
			s.Extract(admin, up.Text("id")).Want(400, "conflict")
		}
		theirs := s.Upload(other.Admin.Token, other.Entity, "o.xml", harness.UBL("O-1")).OK()
		s.Extract(other.Admin.Token, theirs.Text("id")).OK()

		wantUsage(t, s, admin, want)
		wantUsage(t, s, member, map[string]int{open: 4, "": 6})
		wantUsage(t, s, other.Admin.Token, map[string]int{other.Entity.String(): 1})
		s.Do(http.MethodPut, "/api/entities/"+open, admin, map[string]any{"archived": true}).OK()
		wantUsage(t, s, admin, want)
		for _, query := range []string{"month=2026-13", "month=2026-3", "month=", "format=xml", "mont=2026-03"} {
			s.Do(http.MethodGet, "/api/billing/usage?"+query, admin, nil).Want(400, "invalid_request")
		}
		s.Do(http.MethodGet, "/api/billing/usage", "", nil).Want(401, "unauthorized")
	})
}

// wantUsage compares both response formats with the usage of each entity (""
// for all entities that the caller may not see) and with the usage that counts
// towards the limit.
func wantUsage(t *testing.T, s *harness.Server, token string, want map[string]int) {
	t.Helper()
	total := s.Do(http.MethodGet, "/api/billing", token, nil).OK().Number("usage", "invoices_this_month")
	r := s.Do(http.MethodGet, "/api/billing/usage?format=json", token, nil).OK()
	sum := 0
	for i := range r.Len("items") {
		n := r.Number("items", i, "invoices")
		sum += n
		if n != want[r.Text("items", i, "entity_id")] {
			t.Errorf("the usage is %s, want %v", r.Raw, want)
		}
	}
	if r.Len("items") != len(want) || sum != r.Number("total") || sum != total {
		t.Errorf("the usage is %s, want %v; %d are counted", r.Raw, want, total)
	}
	month := r.Text("month")
	file := s.Do(http.MethodGet, "/api/billing/usage?format=csv&month="+month, token, nil).OK()
	if file.Header.Get("Content-Type") != "text/csv" || file.Header.Get("Content-Disposition") != "attachment; filename=usage-"+month+".csv" {
		t.Errorf("the file's headers are %v", file.Header)
	}
	rows, err := csv.NewReader(strings.NewReader(string(file.Raw))).ReadAll()
	if err != nil || len(rows) != len(want)+1 || strings.Join(rows[0], ",") != "month,entity_id,invoices" {
		t.Fatalf("the file is %q, %v", file.Raw, err)
	}
	for _, row := range rows[1:] {
		if row[0] != month || row[2] != strconv.Itoa(want[row[1]]) {
			t.Errorf("the file has %v, want %v", row, want)
		}
	}
}
