package service

import "docledger/adapter/extract"

// viewers is how many pages a process renders at once for people.
const viewers = 2

// viewer returns what renders documents for people. Close ends it.
func (s *Service) viewer() *extract.Viewer {
	if s.pages == nil {
		s.pages = extract.NewViewer(viewers, s.cfg.CompileCacheDir)
		s.closers = append(s.closers, s.pages.Close)
	}
	return s.pages
}
