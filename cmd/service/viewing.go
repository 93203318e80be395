package service

import "docledger/adapter/extract"

// viewers is how many pages a process renders at once for people.
const viewers = 2

// newViewer returns what renders pages. Close ends it.
func (s *Service) newViewer() *extract.Viewer {
	v := extract.NewViewer(viewers, s.cfg.CompileCacheDir)
	s.closers = append(s.closers, v.Close)
	return v
}
