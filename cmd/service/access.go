package service

import (
	"docledger/domain/identity"
	"docledger/infrastructure/clock"
	"docledger/usecase/apikeys"
)

// newAPIKeys returns the use cases for API keys.
func (s *Service) newAPIKeys() *apikeys.Service {
	st := s.store
	return &apikeys.Service{
		Keys: st.APIKeys(), Entities: st.Entities(), Events: st.Events(), UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{},
		Prefix: s.keyPrefix, AdminKeys: s.cfg.AdminKeys,
	}
}

// keyPrefixOf returns the prefix of new API keys.
func keyPrefixOf(test bool) string {
	if test {
		return identity.TestKeyPrefix
	}
	return identity.KeyPrefix
}
