package service

import (
	"docledger/usecase/duplicates"
)

// duplicateDetection compares invoices with the others of their organization.
type duplicateDetection = duplicates.Service

func (s *Service) newDuplicates(bookings duplicates.Bookings, suppliers duplicates.Suppliers) *duplicateDetection {
	st := s.store
	return &duplicates.Service{
		Pairs: st.Duplicates(), Invoices: st.Invoices(), Entities: st.Entities(), Settings: st.Settings(), Events: st.Events(),
		Clock: s.clock, Bookings: bookings, Suppliers: suppliers,
	}
}
