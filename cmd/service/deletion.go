package service

import "docledger/usecase/deletion"

// newDeletion returns the deletion of documents. It completes the use cases that store bytes, because
// they cooperate with the removal of bytes.
func (s *Service) newDeletion() *deletion.Service {
	st := s.store
	s.Documents.Removals, s.Documents.BlobGrace = st.Removals(), s.cfg.BlobGrace
	s.Extraction.Removals, s.Extraction.BlobGrace = st.Removals(), s.cfg.BlobGrace
	return &deletion.Service{
		Documents: st.Documents(), Invoices: st.Invoices(), Duplicates: s.duplicates, Deletions: st.Deletions(), Removals: st.Removals(),
		Blobs: s.blobs, Entities: st.Entities(), Settings: st.Settings(), Events: st.Events(), Clock: s.clock, Log: s.log, BlobGrace: s.cfg.BlobGrace,
		RetentionYears: s.cfg.RetentionYears,
	}
}
