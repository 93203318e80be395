package service

import (
	"docledger/usecase/moves"
	"docledger/usecase/suppliers"
	"docledger/usecase/sync"
)

// newMoves returns the use case that moves documents between entities.
func (s *Service) newMoves(bookings *sync.Service, suppliers *suppliers.Service) *moves.Service {
	st := s.store
	return &moves.Service{
		Documents: st.Documents(), Moves: st.Moves(), Senders: st.EmailIntakes(), Syncs: st.Bookings(), Duplicates: s.duplicates, Entities: st.Entities(),
		Settings: st.Settings(), Memberships: st.Memberships(), Suppliers: suppliers, Bookings: bookings, Origins: s.Extraction,
		Events: st.Events(), Clock: s.clock,
	}
}
