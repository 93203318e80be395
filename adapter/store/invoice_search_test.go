package store_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"
	"docledger/test/lib/filling"

	"github.com/google/uuid"
)

// TestSearchOfPostgreSQLReadsOneOrganization expects that PostgreSQL reads the entries of one organization for a search
// of it, although another one has many invoices with the same text.
func TestSearchOfPostgreSQLReadsOneOrganization(t *testing.T) {
	t.Parallel()
	const few, many = 20, 3000
	db := openPostgres(t, 2)
	one, err := filling.Fill(t.Context(), db, filling.Options{Seed: 1, Invoices: few, Entities: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filling.Fill(t.Context(), db, filling.Options{Seed: 2, Invoices: many, Entities: 2}); err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkSearch(t, s, one.Organization, few)
	for query, want := range map[string]int{"Trading": few, "r-17": 1, "no such text": 0} {
		checkSums(t, s, one.Organization, query, want)
	}
}

// TestCommonSearchOfPostgreSQLComputesNoKeys expects that PostgreSQL reads the keys of a search from their index, although
// its statistics say that every invoice has them, that it does not compile the statement, and that other processes help with a
// read of every invoice alone.
func TestCommonSearchOfPostgreSQLComputesNoKeys(t *testing.T) {
	t.Parallel()
	const many = 3000
	db := openPostgres(t, 2)
	f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 1, Invoices: many, Entities: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkSearch(t, s, f.Organization, many)
	checkSums(t, s, f.Organization, "Trading", many)
	const others = 1 + 10 + 100 // r-17, r-170 to r-179, r-1700 to r-1799
	checkSums(t, s, f.Organization, "r-17", others)
	for _, search := range []struct {
		query string
		most  int
		want  bool
	}{{"Trading", many, false}, {"r-17", others, true}, {"r-17", others - 1, false}, {"r-29", 111, true}, {"no such text", 0, true}} {
		if reads, err := s.ReadsIndex(t.Context(), f.Organization, search.query, search.most); err != nil || reads != search.want {
			t.Errorf("a sum with %+v reads the index: %v, %v", search, reads, err)
		}
	}
	scope, filter := identity.Scope{OrganizationID: f.Organization}, invoice.Filter{Query: "Trading"}
	all := invoice.Filter{Query: "Trading", UpdatedSince: time.Unix(0, 0)} // no group has this time
	for name, read := range map[string]func(context.Context) error{
		"a sum of all": func(ctx context.Context) error {
			_, err := s.Invoices().Sum(ctx, scope, all, []invoice.SumKey{invoice.SumByCurrency})
			return err
		},
		"a sum": func(ctx context.Context) error {
			_, err := s.Invoices().Sum(ctx, scope, filter, []invoice.SumKey{invoice.SumByCurrency})
			return err
		},
		"a sum with a rare search": func(ctx context.Context) error {
			_, err := s.Invoices().Sum(ctx, scope, invoice.Filter{Query: "r-17"}, []invoice.SumKey{invoice.SumByCurrency})
			return err
		},
		"a list": func(ctx context.Context) error {
			_, err := s.Invoices().List(ctx, scope, invoice.Filter{Query: "trading", Currencies: []string{"JPY"}}, invoice.Sort{}, page.Request{})
			return err
		},
	} {
		computed, compiles, helpers, want := 0, "", "", "0"
		if name == "a sum of all" {
			want = "2"
		}
		err := s.InTx(t.Context(), func(ctx context.Context) error {
			tx := s.Tx(ctx)
			if _, err := tx.ExecContext(ctx, "SET LOCAL track_functions = 'all'; SET LOCAL jit = on"); err != nil {
				return err
			}
			if err := read(ctx); err != nil {
				return err
			}
			if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(calls), 0) FROM pg_stat_xact_user_functions WHERE funcname = 'invoice_search_values'").Scan(&computed); err != nil {
				return err
			}
			if err := tx.QueryRowContext(ctx, "SHOW max_parallel_workers_per_gather").Scan(&helpers); err != nil {
				return err
			}
			return tx.QueryRowContext(ctx, "SHOW jit").Scan(&compiles)
		})
		if err != nil || computed > 0 || compiles != "off" || helpers != want {
			t.Errorf("%s computes the keys of %d invoices, compilation is %q, and at most %s processes help, want %s: %v", name, computed, compiles, helpers, want, err)
		}
	}
}

// checkSearch expects that a search reads as many rows as it finds, and from the index of keys alone.
func checkSearch(t *testing.T, s *store.Store, organization uuid.UUID, want float64) {
	t.Helper()
	text, err := s.ReadOfSearch(t.Context(), organization, "trading")
	if err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan step }
	if err := json.Unmarshal([]byte(text), &plans); err != nil || len(plans) != 1 {
		t.Fatalf("read the plan: %v\n%s", err, text)
	}
	if index, most := plans[0].Plan.most(); index != "invoices_search_values" || most != want {
		t.Errorf("the search reads %v rows at most and the index %q, want %v and invoices_search_values:\n%s", most, index, want, text)
	}
}

// checkSums compares the sums of a search with the list of its invoices, with the index if it has few, and without.
func checkSums(t *testing.T, s *store.Store, organization uuid.UUID, query string, least int) {
	t.Helper()
	scope, filter := identity.Scope{OrganizationID: organization}, invoice.Filter{Query: query}
	found := listed(t, s, scope, filter, invoice.Sort{})
	want := 0
	for _, inv := range found {
		if inv.Status != invoice.Rejected {
			want++
		}
	}
	for _, most := range []int{0, len(found)} {
		sums, err := s.SumOf(t.Context(), scope, filter, []invoice.SumKey{invoice.SumByEntity}, most)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, sum := range sums {
			got += sum.Count
		}
		if got != want || len(found) < least || least == 0 && len(found) > 0 {
			t.Errorf("%q has %d invoices in the list, want %d, and %d in the sums, want %d", query, len(found), least, got, want)
		}
	}
}

// step is a step of a plan.
type step struct {
	Index string  `json:"Index Name"`
	Rows  float64 `json:"Actual Rows"`
	Plans []step
}

// most returns the index that the steps read, and the most rows of one.
func (s step) most() (index string, rows float64) {
	index, rows = s.Index, s.Rows
	for _, below := range s.Plans {
		i, n := below.most()
		if i != index {
			index += i
		}
		rows = max(rows, n)
	}
	return index, rows
}
