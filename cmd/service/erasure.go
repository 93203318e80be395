package service

import "docledger/usecase/erasure"

// newErasure returns the use case that erases organizations and accounts.
func (s *Service) newErasure() *erasure.Service {
	st := s.store
	out := &erasure.Service{
		Organizations: st.Organizations(), Erasures: st.Erasures(), Connected: st.Integrations(), Integrations: s.Integrations, Blobs: s.Deletion,
		Users: st.Users(), Accounts: st.Users(), Events: st.Events(), UnitOfWork: st, Clock: s.clock,
	}
	if s.planCache != nil {
		out.Plans = s.planCache
	}
	return out
}
