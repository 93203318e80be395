package store_test

import (
	"encoding/json"
	"testing"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/test/lib/filling"
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
	text, err := s.ReadOfSearch(t.Context(), one.Organization, "trading")
	if err != nil {
		t.Fatal(err)
	}
	var plans []struct{ Plan step }
	if err := json.Unmarshal([]byte(text), &plans); err != nil || len(plans) != 1 {
		t.Fatalf("read the plan: %v\n%s", err, text)
	}
	if index, most := plans[0].Plan.most(); index != "invoices_search_keys" || most != few {
		t.Errorf("the search reads %v rows at most and the index %q, want %d and invoices_search_keys:\n%s", most, index, few, text)
	}
	for query, want := range map[string]int{"Trading": few, "r-17": 1, "no such text": 0} {
		sums, err := s.Invoices().Sum(t.Context(), identity.Scope{OrganizationID: one.Organization}, invoice.Filter{Query: query}, []invoice.SumKey{invoice.SumByEntity})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, sum := range sums {
			got += sum.Count
		}
		if found := len(listed(t, s, identity.Scope{OrganizationID: one.Organization}, invoice.Filter{Query: query}, invoice.Sort{})); found < want || got > found || want == 0 && got > 0 {
			t.Errorf("%q has %d invoices in the list and %d in the sums, want %d", query, found, got, want)
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
		index, rows = index+i, max(rows, n)
	}
	return index, rows
}
