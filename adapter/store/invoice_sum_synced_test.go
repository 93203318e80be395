package store

import (
	"slices"
	"strings"
	"testing"

	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// TestExcludingStatesReadTheDifferences expects that a list of statuses and states of the sync that exclude each other
// reads the invoices of which the status does not tell the state, and that no other list reads them.
func TestExcludingStatesReadTheDifferences(t *testing.T) {
	t.Parallel()
	s, _ := plannedStore(t)
	for _, test := range []struct {
		statuses []invoice.Status
		states   []invoice.SyncState
		reads    bool
	}{
		{[]invoice.Status{invoice.Approved}, []invoice.SyncState{invoice.SyncDone}, true},
		{[]invoice.Status{invoice.Synced, invoice.Rejected}, []invoice.SyncState{invoice.SyncEnded}, true},
		{[]invoice.Status{invoice.Extracted}, []invoice.SyncState{invoice.SyncEnded, invoice.SyncDone}, true},
		{[]invoice.Status{invoice.Synced, invoice.Approved}, []invoice.SyncState{invoice.SyncDone}, false},
		{[]invoice.Status{invoice.Approved}, []invoice.SyncState{invoice.SyncDone, invoice.SyncQueued}, false},
		{[]invoice.Status{invoice.Approved}, nil, false},
		{nil, []invoice.SyncState{invoice.SyncDone}, false},
	} {
		l := s.invoiceList(identity.Scope{OrganizationID: uuid.New()}, invoice.Filter{Statuses: test.statuses, SyncStates: test.states}, invoice.Sort{}, 50)
		if reads := slices.ContainsFunc(l.parts(), func(p filterPart) bool { return p.name == "sync_difference" }); reads != test.reads {
			t.Errorf("statuses %v with states %v read the differences: %v", test.statuses, test.states, reads)
		}
	}
}

// TestSumsReadOthersByTheirIDs expects that SQLite reads the invoices of which the status does not tell the state of the
// sync by their ids, and no other invoice.
func TestSumsReadOthersByTheirIDs(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	scope, done := identity.Scope{OrganizationID: uuid.New()}, []invoice.SyncState{invoice.SyncDone}
	for _, f := range []invoice.Filter{{SyncStates: done}, {SyncStates: done, EntityID: uuid.New()}, {SyncStates: done, Statuses: []invoice.Status{invoice.Synced}}} {
		for _, keys := range [][]invoice.SumKey{{invoice.SumByStatus}, {invoice.SumByTax}, {invoice.SumByAccount}, {invoice.SumByEntity, invoice.SumBySupplier}} {
			others, _ := s.Invoices().addUp(s.readOthers(db, []uuid.UUID{uuid.New(), uuid.New()}), scope, f, keys)
			var steps []struct{ Detail string }
			if err := db.Raw("EXPLAIN QUERY PLAN ?", others).Scan(&steps).Error; err != nil {
				t.Fatal(err)
			}
			var plan []string
			byID := true
			for _, step := range steps {
				plan = append(plan, step.Detail)
				byID = byID && (!strings.HasPrefix(step.Detail, "SEARCH invoices ") || strings.HasSuffix(step.Detail, " AND id=?)") || strings.HasSuffix(step.Detail, "(id=?)"))
			}
			if !byID {
				t.Errorf("%+v by %v does not read the invoices by their ids:\n%s", f, keys, strings.Join(plan, "\n"))
			}
		}
	}
}
