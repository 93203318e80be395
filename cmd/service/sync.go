package service

import (
	"time"

	"docledger/domain/integration"
	"docledger/infrastructure/clock"
	"docledger/usecase/sync"

	"github.com/google/uuid"
)

// undoWindow is how long the web application offers to undo an approval.
const undoWindow = 10 * time.Second

// newSync builds the use cases for syncs, with the ledgers of the connectors that create bills.
func (s *Service) newSync(suppliers sync.Suppliers) *sync.Service {
	st := s.store
	ledgers := map[integration.Provider]sync.Ledger{}
	for p, connector := range s.Integrations.Connectors {
		if l, ok := sync.LedgerOf(connector); ok {
			ledgers[p] = l
		}
	}
	// The URL of an invoice's page.
	page := func(id uuid.UUID) string {
		return s.cfg.WebURL + "/invoices/" + id.String()
	}
	return &sync.Service{
		Invoices: st.Invoices(), Documents: st.Documents(), Entities: st.Entities(), Settings: st.Settings(),
		Integrations: st.Integrations(), Accesses: s.Integrations.Tokens, Ledgers: ledgers,
		Bookings: st.Bookings(), Codings: st.Codings(), Changes: st.Duplicates(), Suppliers: suppliers, Blobs: s.blobs, Viewer: s.viewer(), Events: st.Events(), Queue: s.queue, Holds: st.Holds(), Leases: st.Leases(),
		UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{}, Log: s.log, WaitTimeout: s.cfg.SyncWaitTimeout, UndoWindow: undoWindow, Page: page,
	}
}
