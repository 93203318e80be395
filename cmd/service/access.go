package service

import (
	"docledger/adapter/identity/local"
	"docledger/domain/identity"
	"docledger/infrastructure/clock"
	"docledger/usecase/apikeys"
	"docledger/usecase/organizations"
)

// newAPIKeys returns the use cases for API keys.
func (s *Service) newAPIKeys() *apikeys.Service {
	st := s.store
	return &apikeys.Service{
		Keys: st.APIKeys(), Entities: st.Entities(), Events: st.Events(), UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{},
		Prefix: s.keyPrefix, AdminKeys: s.cfg.AdminKeys,
	}
}

// newOrganizations returns the organizations and their accounts.
func (s *Service) newOrganizations(passwords *local.Passwords) *organizations.Service {
	st := s.store
	return &organizations.Service{
		Organizations: st.Organizations(), Reports: st.Organizations(), Users: st.Users(), Memberships: st.Memberships(), Sessions: st.Sessions(),
		Events: st.Events(), Passwords: passwords, UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{},
	}
}

// keyPrefixOf returns the prefix of new API keys.
func keyPrefixOf(test bool) string {
	if test {
		return identity.TestKeyPrefix
	}
	return identity.KeyPrefix
}
