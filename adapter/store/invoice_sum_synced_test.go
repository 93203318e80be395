package store

import (
	"slices"
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
