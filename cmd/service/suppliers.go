package service

import (
	"context"

	"docledger/domain/job"
	"docledger/infrastructure/clock"
	"docledger/usecase/suppliers"
)

// newSuppliers builds the use cases of suppliers. The caller sets what checks invoices again.
func (s *Service) newSuppliers() *suppliers.Service {
	st := s.store
	return &suppliers.Service{
		Suppliers: st.Suppliers(), OfInvoices: st.Suppliers(), Invoices: st.Invoices(), Entities: st.Entities(), Settings: st.Settings(),
		Codings: st.Codings(), Ledgers: s.Integrations,
		Contacts: st.Suppliers(), Ledgered: st.Integrations(), Accesses: s.Integrations.Tokens, Connectors: s.Integrations.Connectors,
		Events: st.Events(), Changes: st.Duplicates(), UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{}, Log: s.log,
	}
}

// importLedgers keeps suppliers in step with the contacts of ledgers, unless work is paused after a
// restore.
func (s *Service) importLedgers(ctx context.Context) (int, error) {
	held, err := job.Paused(ctx, s.store.Holds())
	if err != nil || held {
		return 0, err
	}
	return s.Suppliers.ImportDue(ctx)
}
