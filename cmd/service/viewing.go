package service

import (
	"docledger/adapter/extract"
	"docledger/domain/extraction"
)

// viewers is how many pages a process renders at once for people, and how many
// originals it reads again for them.
const viewers = 2

// viewer returns what renders documents for people. Close ends it.
func (s *Service) viewer() *extract.Viewer {
	if s.pages == nil {
		s.pages = extract.NewViewer(viewers, s.cfg.CompileCacheDir)
		s.closers = append(s.closers, s.pages.Close)
	}
	return s.pages
}

// originals returns what reads originals while a person waits. It has children of
// its own, so that these requests never take those of the jobs. A reader that
// replaces the pipeline reads the originals too.
func (s *Service) originals(replaced extraction.Reader) extraction.Reader {
	if s.pipeline == nil {
		return replaced
	}
	p := extract.New(extract.Options{Children: viewers, Deadline: s.cfg.ExtractDeadline, CacheDir: s.cfg.CompileCacheDir})
	s.closers = append(s.closers, p.Close)
	return measured{p, s.metrics}
}
